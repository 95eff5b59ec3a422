#include "kernels/backends/share.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {

void run_share_shuffled(const View& v, Worker& w, Grab& grab, const Span& span, u64 seed) {
  Share(Shuffled(&w.tally, &w.events, seed, grab.prefetches), v, w, grab, span).run();
}

}  // namespace heddle
