// The computing time of the GPUs of a training job or a trace, from their programs alone.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Computing times of the GPUs of one task in an iteration, without jitter and slow GPUs.
struct Computing {
  TimePs min_ps = kNever, max_ps = 0;  // sum over a GPU's streams
  TimePs longest_stream_ps = 0;        // no iteration is shorter
  u32 gpus = 0;
};

Computing computing_of(const World& world, u32 task);

/// The longest computing time of all tasks, from their starts on: no run ends before it.
TimePs computing_end_ps(const World& world);

}  // namespace heddle
