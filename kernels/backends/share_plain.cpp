#include "kernels/backends/share.hpp"
#include "kernels/team/serial.hpp"

namespace heddle {

void run_share_plain(const View& v, Worker& w, Grab& grab, const Span& span) {
  Share(PlainSerial(&w.tally, &w.events, grab.prefetches), v, w, grab, span).run();
}

}  // namespace heddle
