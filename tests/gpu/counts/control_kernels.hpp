// Kernels of which it is plain what their warps do.
#pragma once

#include "tests/gpu/counts/counter.hpp"

namespace cuda_on_cpu::counts {

enum class Control {
  write_side_by_side,  // each lane 4 bytes
  write_apart,         // each lane 4 bytes of a sector of its own
  write_every_other,   // every other lane 4 bytes, side by side
  read_one_word,       // all lanes the same 4 bytes, before and behind a barrier
  count_atomically,    // all lanes in the same 4 bytes
};
/// Two blocks of 64 lanes.
void run(Control control, Counter& counter);
/// One block of 64 lanes, in which lane `lane` goes through a loop `passes` times and the others not at all.
void run_loop(unsigned lane, unsigned passes, Counter& counter);

}  // namespace cuda_on_cpu::counts
