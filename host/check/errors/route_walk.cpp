#include "host/check/errors/route_walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/scenario/topology/parts.hpp"

namespace heddle {

RouteWalk::RouteWalk(const World& world)
    : world_(world),
      goals_(world.routing.switches_of_groups()),
      part_(parts_of_switches(world.fabric)),
      row_switches_(world.routing.table.rows()),
      state_(world.fabric.nodes.size() - world.fabric.endpoints),
      longest_(state_.size(), kNone) {
  const Routing& r = world.routing;
  for (NodeId s = world.fabric.endpoints; s < world.fabric.nodes.size(); ++s) row_switches_[r.row_of(s)].push_back(s);
}

std::string RouteWalk::check(u32 group) {
  if (goals_[group] == kNone || (walked_ != kNone && is_like_last_walk(group))) return {};
  std::string problem = walk_all(group);
  walked_ = problem.empty() ? group : kNone;
  return problem;
}

std::string RouteWalk::walk_all(u32 group) {
  std::fill(state_.begin(), state_.end(), State::unseen);
  std::fill(longest_.begin(), longest_.end(), kNone);
  for (u32 from = 0; from < goals_.size(); ++from) {
    const NodeId start = goals_[from];
    if (start == kNone || part_of(from) != part_of(group)) continue;
    if (std::string problem = walk(start, group, goals_[group]); !problem.empty()) return problem;
  }
  return {};
}

std::string RouteWalk::walk(NodeId start, u32 group, NodeId goal) {
  if (std::string problem = enter(start, group, goal); !problem.empty()) return problem;
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    if (top.next == top.ports.size()) {
      state(top.at) = State::done;
      longest(top.at) = 0;
      for (const u16 port : top.ports)
        longest(top.at) = std::max(longest(top.at), longest(neighbour(world_.fabric, top.at, port)) + 1);
      stack_.pop_back();
      continue;
    }
    const NodeId to = neighbour(world_.fabric, top.at, top.ports[top.next++]);
    if (std::string problem = enter(to, group, goal); !problem.empty()) {
      stack_.clear();
      return problem;
    }
  }
  return {};
}

std::string RouteWalk::enter(NodeId at, u32 group, NodeId goal) {
  const auto& names = world_.fabric.names;
  if (at < world_.fabric.endpoints) return fmt::format("packets for {} would be sent to {}", names[goal], names[at]);
  if (state(at) == State::done) return {};
  if (state(at) == State::open) return circle(at, goal);
  state(at) = State::open;
  const std::span<const u16> ports = at == goal ? std::span<const u16>() : world_.routing.next_hops(at, group);
  if (at != goal && ports.empty()) {
    return fmt::format("{} has no way to the endpoints of {}: the topology is disconnected there", names[at],
                       names[goal]);
  }
  stack_.push_back({at, ports, 0});
  return {};
}

std::string RouteWalk::circle(NodeId at, NodeId goal) const {
  std::string text;
  bool inside = false;
  for (const Frame& frame : stack_) {
    inside = inside || frame.at == at;
    if (inside) text += world_.fabric.names[frame.at] + " -> ";
  }
  return fmt::format("routing loop for the endpoints of {}: {}{}", world_.fabric.names[goal], text,
                     world_.fabric.names[at]);
}

/// Links of the longest path from `at` to `goal`, if everything reachable is as in the last walk except the two goals;
/// kNone when the last walk did not reach some of it.
u32 RouteWalk::longest_on(NodeId at, u32 group, NodeId goal) {
  u32 most = kNone;
  for (const u16 port : world_.routing.next_hops(at, group)) {
    const NodeId to = neighbour(world_.fabric, at, port);
    if (to < world_.fabric.endpoints) return kNone;
    const u32 on = to == goal ? 0 : longest(to);
    if (on == kNone) return kNone;
    most = most == kNone ? on + 1 : std::max(most, on + 1);
  }
  return most;
}

/// In the last walk every hop led to a switch with a shorter longest path, so there was no loop. If the same holds with
/// the same lengths for this group (but 0 at its own switch, and a new length at the switch of the last walk), all its
/// routes arrive. The check is only needed at switches whose next hops differ, and at neighbours of the switch whose
/// length grew. False means unknown: the group has to be walked.
bool RouteWalk::is_like_last_walk(u32 group) {
  const NodeId goal = goals_[group], last = goals_[walked_];
  if (goal == last || part_of(group) != part_of(walked_)) return false;
  const u32 from_last = longest_on(last, group, goal);
  if (from_last == kNone) return false;
  longest(last) = from_last;
  const bool like = leads_on_where_it_differs(group, goal, last);
  longest(last) = 0;
  return like;
}

bool RouteWalk::leads_on_where_it_differs(u32 group, NodeId goal, NodeId last) {
  const Fabric& fabric = world_.fabric;
  const NextHopTable& table = world_.routing.table;
  const auto comes_closer = [&](NodeId at) {
    if (at == goal || at == last || longest(at) == kNone) return true;
    const u32 on = longest_on(at, group, goal);
    return on != kNone && on <= longest(at);
  };
  for (u32 row = 0; row < table.rows(); ++row) {
    if (table.set_in_row(row, group) == table.set_in_row(row, walked_)) continue;
    if (!std::ranges::all_of(row_switches_[row], comes_closer)) return false;
  }
  const Node& node = fabric.nodes[last];
  for (u32 port = 0; port < node.ports; ++port) {
    const NodeId at = neighbour(fabric, last, port);
    if (at >= fabric.endpoints && !comes_closer(at)) return false;
  }
  return true;
}

}  // namespace heddle
