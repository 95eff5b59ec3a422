// What one part of a World says of a queue that does not move.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A switch's egress whose lossless queue has been paused and waiting for long. Links by their numbers in the World.
struct StuckQueue {
  u32 link = kNone;
  std::vector<u32> holds_from;  // links by which packets of the queue came in: their egresses wait for this one
  bool operator==(const StuckQueue&) const = default;
};

/// When stuck queues are looked for next after `now_ps`: a fixed grid, so that what is found depends on nothing else.
constexpr TimePs next_look_ps(TimePs now_ps, TimePs stuck_ps) {
  const TimePs every_ps = stuck_ps < 4 ? 1 : stuck_ps / 4;
  return (now_ps / every_ps + 1) * every_ps;
}

}  // namespace heddle
