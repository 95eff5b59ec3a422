#include "kernels/backends/share.hpp"
#include "kernels/team/serial.hpp"

namespace heddle {

void run_share_plain(const View& v, Worker& w, Grab& grab, const Tick& tick) {
  run_share(PlainSerial(&w.tally, &w.events, grab.prefetches), v, w, grab, tick);
}

}  // namespace heddle
