// Follows the next hops of an ECMP table towards each group of endpoints in turn.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

inline NodeId neighbour(const Fabric& fabric, NodeId at, u32 port) {
  return fabric.links[fabric.nodes[at].first_link + port].dst;
}

/// Walks all routes to a group depth first, over switches only. Groups that differ little from the one walked last,
/// such as racks of a zone, are only checked where they differ: a walk takes time in proportion to the links of the
/// fabric, such a check in proportion to the links of a few switches.
class RouteWalk {
 public:
  explicit RouteWalk(const World& world);

  /// The first problem on a path to `group` from a switch that has endpoints: a loop, a dead end, or a path to an
  /// endpoint outside the group. "" when there is none.
  std::string check(u32 group);

 private:
  enum class State : u8 { unseen, open, done };
  struct Frame {
    NodeId at;
    std::span<const u16> ports;
    u32 next;
  };

  State& state(NodeId at) { return state_[at - world_.fabric.endpoints]; }
  /// Links of the longest path from a switch to the group; kNone: the last walk did not reach the switch.
  u32& longest(NodeId at) { return longest_[at - world_.fabric.endpoints]; }

  std::string walk_all(u32 group);
  std::string walk(NodeId start, u32 group, NodeId goal);
  std::string enter(NodeId at, u32 group, NodeId goal);
  std::string circle(NodeId at, NodeId goal) const;

  u32 part_of(u32 group) const { return part_[goals_[group] - world_.fabric.endpoints]; }
  bool is_like_last_walk(u32 group);
  bool leads_on_where_it_differs(u32 group, NodeId goal, NodeId last);
  u32 longest_on(NodeId at, u32 group, NodeId goal);

  const World& world_;
  std::vector<NodeId> goals_;                      // [group] its switch; kNone: the group has no endpoints
  std::vector<u32> part_;                          // [switch] parts_of_switches
  std::vector<std::vector<NodeId>> row_switches_;  // [row] the switches that use it
  std::vector<State> state_;
  std::vector<u32> longest_;
  std::vector<Frame> stack_;
  u32 walked_ = kNone;  // the group of the last walk, if that found no problem
};

}  // namespace heddle
