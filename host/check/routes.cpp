#include "host/check/routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/check/link_types.hpp"

namespace heddle {
namespace {

/// Next-hop set of (switch, group), or nullptr when there is none.
const NextHops* next_hops(const World& world, NodeId at, u32 group) {
  const Routing& r = world.routing;
  const u32 set = r.table[static_cast<size_t>(at - world.fabric.endpoints) * r.groups + group];
  return set == kNone ? nullptr : &r.sets[set];
}

NodeId neighbour(const Fabric& fabric, NodeId at, u32 port) {
  return fabric.links[fabric.nodes[at].first_link + port].dst;
}

std::vector<NodeId> switches_of_groups(const World& world) {
  std::vector<NodeId> out(world.routing.groups, kNone);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e)
    out[world.routing.group_of[e]] = world.routing.attach_switch[e];
  return out;
}

/// Walks all routes to one group depth first, over switches only.
class GroupWalk {
 public:
  explicit GroupWalk(const World& world) : world_(world), state_(world.fabric.nodes.size() - world.fabric.endpoints) {}

  /// The first problem on a way from a switch that has endpoints to `goal`, or "".
  std::string check(u32 group, NodeId goal, const std::vector<NodeId>& starts) {
    std::fill(state_.begin(), state_.end(), State::unseen);
    for (const NodeId start : starts) {
      if (start == kNone) continue;
      if (std::string problem = walk(start, group, goal); !problem.empty()) return problem;
    }
    return {};
  }

 private:
  enum class State : u8 { unseen, open, done };
  struct Frame {
    NodeId at;
    const NextHops* hops;
    u32 next;
  };

  State& state(NodeId at) { return state_[at - world_.fabric.endpoints]; }

  std::string walk(NodeId start, u32 group, NodeId goal) {
    if (std::string problem = enter(start, group, goal); !problem.empty()) return problem;
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.hops == nullptr || top.next == top.hops->count) {
        state(top.at) = State::done;
        stack_.pop_back();
        continue;
      }
      const NodeId to = neighbour(world_.fabric, top.at, world_.routing.ports[top.hops->first + top.next++]);
      if (std::string problem = enter(to, group, goal); !problem.empty()) {
        stack_.clear();
        return problem;
      }
    }
    return {};
  }

  std::string enter(NodeId at, u32 group, NodeId goal) {
    const auto& names = world_.fabric.names;
    if (at < world_.fabric.endpoints) return fmt::format("packets for {} would be sent to {}", names[goal], names[at]);
    if (state(at) == State::done) return {};
    if (state(at) == State::open) return circle(at, goal);
    state(at) = State::open;
    const NextHops* hops = at == goal ? nullptr : next_hops(world_, at, group);
    if (at != goal && (hops == nullptr || hops->count == 0)) {
      return fmt::format("{} has no way to the endpoints of {}: the topology is disconnected there", names[at],
                         names[goal]);
    }
    stack_.push_back({at, hops, 0});
    return {};
  }

  std::string circle(NodeId at, NodeId goal) const {
    std::string text;
    bool inside = false;
    for (const Frame& frame : stack_) {
      inside = inside || frame.at == at;
      if (inside) text += world_.fabric.names[frame.at] + " -> ";
    }
    return fmt::format("routing loop for the endpoints of {}: {}{}", world_.fabric.names[goal], text,
                       world_.fabric.names[at]);
  }

  const World& world_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
};

/// Follows one explicit path from `src`; the problem, or "".
std::string explicit_path_problem(const World& world, EndpointId src, EndpointId dst, u32 path) {
  const Fabric& fabric = world.fabric;
  const std::string pair = fmt::format("explicit path {} from {} to {}", path, fabric.names[src], fabric.names[dst]);
  if (path == kNone) {
    return fmt::format("no explicit path from {} to {}: add the pair to routing.paths_file", fabric.names[src],
                       fabric.names[dst]);
  }
  NodeId at = world.routing.attach_switch[src];
  const u32 first = world.routing.path_first[path], end = world.routing.path_first[path + 1];
  for (u32 hop = 0; hop <= end - first; ++hop) {
    if (at == world.routing.attach_switch[dst]) return {};
    u32 i = first;
    while (i < end && world.routing.hops[i].node != at) ++i;
    if (i == end) return fmt::format("{} has no hop for {}, which it leads through", pair, fabric.names[at]);
    at = neighbour(fabric, at, world.routing.hops[i].port);
    if (at < fabric.endpoints) return fmt::format("{} ends at {}", pair, fabric.names[at]);
  }
  return pair + " runs in a circle";
}

std::vector<std::string> explicit_problems(const World& world, size_t limit) {
  std::vector<std::string> problems;
  for (const Qp& qp : world.traffic.qps) {
    for (const bool data : {true, false}) {
      const EndpointId src = data ? qp.src : qp.dst, dst = data ? qp.dst : qp.src;
      std::string problem = explicit_path_problem(world, src, dst, data ? qp.data_path : qp.control_path);
      if (!problem.empty()) problems.push_back(std::move(problem));
      if (problems.size() == limit) return problems;
    }
  }
  return problems;
}

}  // namespace

u32 hops_to_group(const World& world, NodeId from, u32 group) {
  NodeId at = from;
  for (u32 hops = 0; hops < 64; ++hops) {
    const NextHops* next = next_hops(world, at, group);
    if (next == nullptr || next->count == 0) return hops;  // there, or nowhere: routing_problems tells which
    at = neighbour(world.fabric, at, world.routing.ports[next->first]);
    if (at < world.fabric.endpoints) return hops;
  }
  return kNone;
}

std::vector<std::string> routing_problems(const World& world, size_t limit) {
  if (world.routing.policy == RoutingPolicy::explicit_paths) return explicit_problems(world, limit);
  const std::vector<NodeId> goals = switches_of_groups(world);
  std::vector<std::string> problems;
  GroupWalk walk(world);
  for (u32 group = 0; group < world.routing.groups && problems.size() < limit; ++group) {
    if (goals[group] == kNone) continue;
    std::string problem = walk.check(group, goals[group], goals);
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace heddle
