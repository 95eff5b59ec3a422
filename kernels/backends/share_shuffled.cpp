#include "kernels/backends/share.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {

void run_share_shuffled(const View& v, Worker& w, Grab& grab, const Tick& tick, u64 seed) {
  run_share(Shuffled(&w.tally, &w.events, seed, grab.prefetches), v, w, grab, tick);
}

}  // namespace heddle
