// Waits for another process of the machine, which may need this one's core.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/base/types.hpp"

namespace heddle {

/// Returns when `ready()`. Spins a few times, then yields the core between checks; after a long wait it sleeps, for a
/// sixteenth of the wait so far, a millisecond at most. MPI is called meanwhile, so that messages of `comm` progress
/// and its errors are noticed.
template <class Ready>
void wait_until(MPI_Comm comm, const Ready& ready) {
  using Clock = std::chrono::steady_clock;
  constexpr u32 kLooks = 200;
  constexpr std::chrono::microseconds kYielding{500}, kLongest{1000};
  for (u32 look = 0; look < kLooks; ++look) {
    if (ready()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  const Clock::time_point start = Clock::now();
  while (!ready()) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    const Clock::duration waited = Clock::now() - start;
    if (waited < kYielding) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 16, kLongest));
    }
  }
}

}  // namespace heddle
