// What the GPUs of a training job or a trace compute, by their programs alone.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Of the GPUs of one task, in an iteration; without jitter and slow GPUs.
struct Computing {
  TimePs least_ps = kNever, most_ps = 0;  // all of a GPU's streams together
  TimePs longest_stream_ps = 0;           // no iteration is shorter
  u32 gpus = 0;
};

Computing computing_of(const World& world, u32 task);

/// No run ends before: the longest of all tasks, from its start on.
TimePs computing_end_ps(const World& world);

}  // namespace heddle
