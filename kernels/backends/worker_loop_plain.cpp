#include "kernels/backends/worker_loop.hpp"
#include "kernels/team/serial.hpp"

namespace heddle {

void run_worker_plain(const View& v, Worker& w, SharedWork& work, const TickBatch& batch) {
  WorkerLoop(PlainSerial(&w.tally, &w.events, work.prefetches), v, w, work, batch).run();
}

}  // namespace heddle
