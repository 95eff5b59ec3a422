#include "host/check/errors/up_down.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "host/check/errors/dependency_graph.hpp"

namespace heddle {
namespace {

/// The direction of a link in the tiers. Above 0: up; below 0: down; 0: neither.
int rise(const Fabric& fabric, LinkId link) {
  const auto height = [&](NodeId n) { return static_cast<int>(fabric.nodes[n].tier); };
  return height(fabric.links[link].dst) - height(fabric.links[link].src);
}

std::string text_of(const Fabric& fabric, EndpointId src, EndpointId dst, std::span<const NodeId> way) {
  std::string text = fmt::format("from {} to {}:", fabric.names[src], fabric.names[dst]);
  for (const NodeId at : way) text += fmt::format("{}{}", at == way.front() ? " " : " -> ", fabric.names[at]);
  return text;
}

/// Calls f for the links that may follow a link, each once or more.
template <class F>
void for_each_next(const DependencyGraph& graph, LinkId link, const F& f) {
  for (const u32 vertex : graph.edges[link]) {
    if (vertex < graph.links) {
      f(vertex);
    } else {
      for (const u32 next : graph.edges[vertex]) f(next);
    }
  }
}

/// Whether some link that goes up may follow one that does not. Next hops that no packet ever takes count, too.
bool may_turn_up(const World& world) {
  const Fabric& fabric = world.fabric;
  const DependencyGraph graph = dependency_graph(world);
  bool found = false;
  for (LinkId l = 0; l < graph.links && !found; ++l) {
    if (fabric.links[l].dst < fabric.endpoints || rise(fabric, l) > 0) continue;
    for_each_next(graph, l, [&](LinkId next) { found = found || rise(fabric, next) >= 0; });
  }
  return found;
}

/// Follows all paths to each group of endpoints in turn, and remembers for every switch whether it is reached by paths
/// that may still go up, or by others.
class WayWalk {
 public:
  explicit WayWalk(const World& world)
      : world_(world), endpoint_at_(world.fabric.nodes.size(), kNone), goal_(world.routing.switches_of_groups()) {
    const Routing& r = world.routing;
    for (u32 a = count_addresses(world.fabric); a-- > 0;) endpoint_at_[r.attach_switch[a]] = a / world.fabric.nic_ports;
  }

  std::string find() {
    for (u32 group = 0; group < goal_.size(); ++group) {
      if (goal_[group] == kNone) continue;
      if (std::string text = walk(group); !text.empty()) return text;
    }
    return {};
  }

 private:
  struct Reached {
    NodeId at;
    bool turned;
    u32 before;  // index in reached_, kNone: a path begins here
  };

  std::string walk(u32 group) {
    reached_.clear();
    seen_.assign(2 * world_.fabric.nodes.size(), false);
    for (NodeId s = world_.fabric.endpoints; s < endpoint_at_.size(); ++s)
      if (endpoint_at_[s] != kNone) reach({s, false, kNone});
    for (u32 i = 0; i < reached_.size(); ++i) {
      const Reached from = reached_[i];
      if (from.at == goal_[group]) continue;
      for (const u16 port : world_.routing.next_hops(from.at, group)) {
        const LinkId link = world_.fabric.nodes[from.at].first_link + port;
        const int up = rise(world_.fabric, link);
        const NodeId to = world_.fabric.links[link].dst;
        if (from.turned && up >= 0) return describe(i, to, group);
        reach({to, from.turned || up <= 0, i});
      }
    }
    return {};
  }

  void reach(const Reached& next) {
    if (seen_[2 * next.at + next.turned]) return;
    seen_[2 * next.at + next.turned] = true;
    reached_.push_back(next);
  }

  std::string describe(u32 last, NodeId to, u32 group) const {
    std::vector<NodeId> way = {to};
    for (u32 i = last; i != kNone; i = reached_[i].before) way.push_back(reached_[i].at);
    std::ranges::reverse(way);
    return text_of(world_.fabric, endpoint_at_[way.front()], endpoint_at_[goal_[group]], way);
  }

  const World& world_;
  std::vector<EndpointId> endpoint_at_;  // [node] an endpoint attached to it
  std::vector<NodeId> goal_;             // [group] its switch
  std::vector<Reached> reached_;
  std::vector<bool> seen_;  // [2 * node + turned]
};

/// The first turn from down to up on one explicit path, or "".
std::string turn_of_path(const World& world, EndpointId src, EndpointId dst, u32 path) {
  const Fabric& fabric = world.fabric;
  const Routing& r = world.routing;
  std::vector<NodeId> way = {r.attach_switch[src]};
  const std::span<const Routing::Hop> hops =
      std::span(r.hops).subspan(r.path_first[path], r.path_first[path + 1] - r.path_first[path]);
  for (bool turned = false; way.back() != r.attach_switch[dst];) {
    const auto hop = std::ranges::find(hops, way.back(), &Routing::Hop::node);
    const LinkId link = fabric.nodes[hop->node].first_link + hop->port;
    way.push_back(fabric.links[link].dst);
    if (turned && rise(fabric, link) >= 0) return text_of(fabric, src, dst, way);
    turned = turned || rise(fabric, link) <= 0;
  }
  return {};
}

std::string turn_of_paths(const World& world) {
  for (const Qp& qp : world.traffic.qps) {
    if (std::string text = turn_of_path(world, qp.src, qp.dst, qp.data_path); !text.empty()) return text;
    if (std::string text = turn_of_path(world, qp.dst, qp.src, qp.control_path); !text.empty()) return text;
  }
  return {};
}

}  // namespace

std::string down_and_up(const World& world) {
  if (world.routing.paths_are_given()) return turn_of_paths(world);
  return may_turn_up(world) ? WayWalk(world).find() : std::string();
}

}  // namespace heddle
