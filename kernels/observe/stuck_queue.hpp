// A part's report of a queue that does not move.
#pragma once

#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

/// The number of a queue: an egress link, by its number in the World, and a class.
constexpr u32 queue_number(u32 link, u32 traffic_class) { return link * kMaxClasses + traffic_class; }
constexpr u32 link_of_queue(u32 queue) { return queue / kMaxClasses; }

/// A lossless queue of a switch with packets, which has long been paused.
struct StuckQueue {
  u32 queue = kNone;            // queue_number()
  std::vector<u32> holds_from;  // by which links, and in which classes, its packets came: these queues wait for it
  bool operator==(const StuckQueue&) const = default;
};

/// Time of the next check for stuck queues after `now_ps`: a fixed grid, so that the findings depend on nothing else.
constexpr TimePs next_look_ps(TimePs now_ps, TimePs stuck_ps) {
  const TimePs every_ps = stuck_ps < 4 ? 1 : stuck_ps / 4;
  return (now_ps / every_ps + 1) * every_ps;
}

}  // namespace heddle
