// Follows the next hops of an ECMP table towards one group of endpoints after the other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Walks all routes to a group depth first, over switches only. Groups that differ little from the one walked last, as
/// racks of a zone do, are only looked at where they differ: a walk takes time in proportion to the links of the
/// fabric, such a look to those of a few switches.
class RouteWalk {
 public:
  explicit RouteWalk(const World& world);

  /// The first problem on a way to `group` from a switch that has endpoints: a loop, a dead end, or a way to an
  /// endpoint that is not meant. "" when there is none.
  std::string check(u32 group);

 private:
  enum class State : u8 { unseen, open, done };
  struct Frame {
    NodeId at;
    std::span<const u16> ports;
    u32 next;
  };

  State& state(NodeId at) { return state_[at - world_.fabric.endpoints]; }
  /// Links of the longest way on from a switch; kNone: not reached by the last walk.
  u32& longest(NodeId at) { return longest_[at - world_.fabric.endpoints]; }

  std::string walk_all(u32 group);
  std::string walk(NodeId start, u32 group, NodeId goal);
  std::string enter(NodeId at, u32 group, NodeId goal);
  std::string circle(NodeId at, NodeId goal) const;

  bool is_like_last_walk(u32 group);
  bool leads_on_where_it_differs(u32 group, NodeId goal, NodeId last);
  u32 longest_on(NodeId at, u32 group, NodeId goal);

  const World& world_;
  std::vector<NodeId> goals_;                      // [group] its switch; kNone: it has no endpoints
  std::vector<std::vector<NodeId>> row_switches_;  // [row] the switches that use it
  std::vector<State> state_;
  std::vector<u32> longest_;
  std::vector<Frame> stack_;
  u32 walked_ = kNone;  // the group of the last walk, if it found nothing wrong
};

}  // namespace heddle
