#include "cuda_runtime.h"

namespace cuda_on_cpu {

Machine& machine() {
  static Machine of_all_threads;
  return of_all_threads;
}

Device& device() {
  static thread_local Device of_this_thread;  // ranks are threads in tests
  return of_this_thread;
}

void run_blocks(const Launch& launch, const std::function<void()>& kernel) {
  Device& d = device();
  d.shared.assign(launch.shared_bytes / sizeof(unsigned long) + 1, 0xa5a5a5a5a5a5a5a5);
  d.block_size = launch.threads;
  tell(&Observer::launch_begins, launch);
  for (unsigned block = 0; block < launch.blocks; ++block) {
    d.block_index = block;
    tell(&Observer::block_begins, block);
    lanes().run(launch.threads, kernel);
  }
  tell(&Observer::launch_ends);
}

}  // namespace cuda_on_cpu
