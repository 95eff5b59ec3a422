#include "host/topology/shortest_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/error.hpp"

namespace heddle {
namespace {

/// The graph of switches: neighbours by switch number (node id - endpoints), in port order.
struct SwitchGraph {
  struct Edge {
    u32 to;
    u16 port;
  };
  std::vector<u32> first;
  std::vector<Edge> edges;
  u32 switches() const { return static_cast<u32>(first.size() - 1); }
};

SwitchGraph switch_graph(const Fabric& fabric) {
  SwitchGraph graph;
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) {
    graph.first.push_back(static_cast<u32>(graph.edges.size()));
    const Node& node = fabric.nodes[n];
    for (u32 port = 0; port < node.ports; ++port) {
      const NodeId to = fabric.links[node.first_link + port].dst;
      if (to >= fabric.endpoints) graph.edges.push_back({to - fabric.endpoints, static_cast<u16>(port)});
    }
  }
  graph.first.push_back(static_cast<u32>(graph.edges.size()));
  return graph;
}

/// Next-hop sets without repetition.
class SetTable {
 public:
  explicit SetTable(Routing& routing) : routing_(routing) {}

  bool equals(u32 set, const std::vector<u16>& ports) const {
    if (set == kNone || routing_.sets[set].count != ports.size()) return false;
    return std::equal(ports.begin(), ports.end(), routing_.ports.begin() + routing_.sets[set].first);
  }

  u32 index_of(const std::vector<u16>& ports) {
    const auto [entry, added] = known_.try_emplace(ports, static_cast<u32>(routing_.sets.size()));
    if (added) {
      routing_.sets.push_back({static_cast<u32>(routing_.ports.size()), static_cast<u32>(ports.size())});
      routing_.ports.insert(routing_.ports.end(), ports.begin(), ports.end());
    }
    return entry->second;
  }

 private:
  Routing& routing_;
  std::map<std::vector<u16>, u32> known_;
};

/// Groups in order of their switches. Returns the switch number of each group.
std::vector<u32> add_groups(const Fabric& fabric, Routing& routing) {
  std::vector<u32> group_of_switch(fabric.nodes.size() - fabric.endpoints, kNone);
  routing.group_of.resize(fabric.endpoints);
  routing.attach_switch.resize(fabric.endpoints);
  routing.attach_port.resize(fabric.endpoints);
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    const Link& link = fabric.links[fabric.nodes[e].first_link];
    routing.attach_switch[e] = link.dst;
    routing.attach_port[e] = link.dst_port;
    group_of_switch[link.dst - fabric.endpoints] = 0;
  }
  std::vector<u32> switch_of_group;
  for (u32 s = 0; s < group_of_switch.size(); ++s) {
    if (group_of_switch[s] == kNone) continue;
    group_of_switch[s] = static_cast<u32>(switch_of_group.size());
    switch_of_group.push_back(s);
  }
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    routing.group_of[e] = group_of_switch[routing.attach_switch[e] - fabric.endpoints];
  }
  routing.groups = static_cast<u32>(switch_of_group.size());
  return switch_of_group;
}

/// Breadth first from `root`; `order` gets the switches reached, nearest first.
void hops_from(u32 root, const SwitchGraph& graph, std::vector<u32>& hops, std::vector<u32>& order) {
  std::fill(hops.begin(), hops.end(), kNone);
  order.assign(1, root);
  hops[root] = 0;
  for (u32 i = 0; i < order.size(); ++i) {
    const u32 at = order[i];
    for (u32 e = graph.first[at]; e < graph.first[at + 1]; ++e) {
      const u32 to = graph.edges[e].to;
      if (hops[to] != kNone) continue;
      hops[to] = hops[at] + 1;
      order.push_back(to);
    }
  }
}

void check_reach(const Fabric& fabric, const std::vector<u32>& switch_of_group, u32 root,
                 const std::vector<u32>& hops) {
  for (u32 s : switch_of_group) {
    if (hops[s] != kNone) continue;
    throw ConfigError(
        fmt::format("topology: there is no path between {} and {}, so their endpoints cannot talk; the "
                    "fabric falls into separate parts. Add the missing links",
                    fabric.names[fabric.endpoints + root], fabric.names[fabric.endpoints + s]));
  }
}

}  // namespace

void build_routes(const Fabric& fabric, Routing& routing) {
  const SwitchGraph graph = switch_graph(fabric);
  const std::vector<u32> switch_of_group = add_groups(fabric, routing);
  routing.table.assign(static_cast<u64>(graph.switches()) * routing.groups, kNone);
  SetTable sets(routing);
  std::vector<u32> hops(graph.switches()), order, previous(graph.switches(), kNone);
  std::vector<u16> ports;
  for (u32 group = 0; group < routing.groups; ++group) {
    const u32 root = switch_of_group[group];
    hops_from(root, graph, hops, order);
    if (group == 0) check_reach(fabric, switch_of_group, root, hops);
    for (u32 s : order) {
      if (s == root) continue;
      ports.clear();
      for (u32 e = graph.first[s]; e < graph.first[s + 1]; ++e) {
        if (hops[graph.edges[e].to] + 1 == hops[s]) ports.push_back(graph.edges[e].port);
      }
      // Neighbouring groups mostly share their set (all uplinks): compare before searching.
      if (!sets.equals(previous[s], ports)) previous[s] = sets.index_of(ports);
      routing.table[static_cast<u64>(s) * routing.groups + group] = previous[s];
    }
  }
}

}  // namespace heddle
