#include "kernels/backends/worker_loop.hpp"
#include "kernels/team/shuffled.hpp"

namespace heddle {

void run_worker_in_step(const View& v, Worker& w, SharedWork& work, const TickBatch& batch, u64 seed) {
  WorkerLoop(ShuffledInStep(&w.tally, &w.events, seed, work.prefetches), v, w, work, batch).run();
}

}  // namespace heddle
