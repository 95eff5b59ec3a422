// A part's report of a queue that does not move.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// A switch's egress with packets in a lossless queue that has long been paused. Links have their numbers in the World.
struct StuckQueue {
  u32 link = kNone;
  std::vector<u32> holds_from;  // links by which its packets arrived: their egresses wait for this one
  bool operator==(const StuckQueue&) const = default;
};

/// Time of the next check for stuck queues after `now_ps`: a fixed grid, so that the findings depend on nothing else.
constexpr TimePs next_look_ps(TimePs now_ps, TimePs stuck_ps) {
  const TimePs every_ps = stuck_ps < 4 ? 1 : stuck_ps / 4;
  return (now_ps / every_ps + 1) * every_ps;
}

}  // namespace heddle
