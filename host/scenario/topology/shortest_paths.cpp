#include "host/scenario/topology/shortest_paths.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "kernels/base/hash.hpp"

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
  std::span<const Edge> edges_of(u32 s) const { return std::span(edges).subspan(first[s], first[s + 1] - first[s]); }
};

/// `out`: [link] to leave out; empty: none.
SwitchGraph switch_graph(const Fabric& fabric, const std::vector<bool>& out = {}) {
  SwitchGraph graph;
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) {
    graph.first.push_back(static_cast<u32>(graph.edges.size()));
    const Node& node = fabric.nodes[n];
    for (u32 port = 0; port < node.ports; ++port) {
      const NodeId to = fabric.links[node.first_link + port].dst;
      const bool used = out.empty() || !out[node.first_link + port];
      if (used && to >= fabric.endpoints) graph.edges.push_back({to - fabric.endpoints, static_cast<u16>(port)});
    }
  }
  graph.first.push_back(static_cast<u32>(graph.edges.size()));
  return graph;
}

/// The distinct next-hop sets.
class SetTable {
 public:
  explicit SetTable(NextHopTable& table) : table_(table) {}

  /// The index of a set; kNone for no ports. `guess`: a set that is probably the same.
  u32 index_of(const std::vector<u16>& ports, u32 guess = kNone) {
    if (ports.empty()) return kNone;
    if (guess != kNone && std::ranges::equal(ports, table_.ports_of(guess))) return guess;
    const auto [entry, added] = known_.try_emplace(ports, static_cast<u32>(table_.sets.size()));
    if (added) {
      table_.sets.push_back({static_cast<u32>(table_.ports.size()), static_cast<u32>(ports.size())});
      table_.ports.insert(table_.ports.end(), ports.begin(), ports.end());
    }
    return entry->second;
  }

 private:
  NextHopTable& table_;
  std::map<std::vector<u16>, u32> known_;
};

/// Numbers the groups in order of their switches. Returns the switch number of each group.
std::vector<u32> add_groups(const Fabric& fabric, Routing& routing) {
  std::vector<u32> group_of_switch(fabric.nodes.size() - fabric.endpoints, kNone);
  const u32 addresses = count_addresses(fabric);
  routing.first_switch = fabric.endpoints;
  routing.group_of.resize(addresses);
  routing.attach_switch.resize(addresses);
  routing.attach_port.resize(addresses);
  for (EndpointId e = 0; e < fabric.endpoints; ++e) {
    for (u32 p = 0; p < fabric.nic_ports; ++p) {
      const Link& link = fabric.links[fabric.nodes[e].first_link + p];
      const u32 address = address_of(fabric, e, p);
      routing.attach_switch[address] = link.dst;
      routing.attach_port[address] = link.dst_port;
      group_of_switch[link.dst - fabric.endpoints] = 0;
    }
  }
  std::vector<u32> switch_of_group;
  for (u32 s = 0; s < group_of_switch.size(); ++s) {
    if (group_of_switch[s] == kNone) continue;
    group_of_switch[s] = static_cast<u32>(switch_of_group.size());
    switch_of_group.push_back(s);
  }
  for (u32 a = 0; a < addresses; ++a)
    routing.group_of[a] = group_of_switch[routing.attach_switch[a] - fabric.endpoints];
  routing.table.groups = static_cast<u32>(switch_of_group.size());
  return switch_of_group;
}

/// A breadth-first search from `root`; `order` gets the switches reached, nearest first.
void hops_from(u32 root, const SwitchGraph& graph, std::vector<u32>& hops, std::vector<u32>& order) {
  std::fill(hops.begin(), hops.end(), kNone);
  order.assign(1, root);
  hops[root] = 0;
  for (u32 i = 0; i < order.size(); ++i) {
    const u32 at = order[i];
    for (const SwitchGraph::Edge& edge : graph.edges_of(at)) {
      if (hops[edge.to] != kNone) continue;
      hops[edge.to] = hops[at] + 1;
      order.push_back(edge.to);
    }
  }
}

/// Groups whose switches have exactly the same neighbours, such as all racks of a zone. Every other switch that is no
/// neighbour of theirs is equally far from all of them, and by the same ports: one search suffices for all.
struct Twins {
  std::vector<u32> of_group;  // [group] -> number of its set of twins
  std::vector<u32> first;     // [number] -> its first group
};

Twins find_twins(const SwitchGraph& graph, const std::vector<u32>& switch_of_group) {
  Twins twins;
  std::map<std::vector<u32>, u32> known;
  std::vector<u32> neighbours;
  for (u32 group = 0; group < switch_of_group.size(); ++group) {
    neighbours.clear();
    for (const SwitchGraph::Edge& edge : graph.edges_of(switch_of_group[group])) neighbours.push_back(edge.to);
    std::ranges::sort(neighbours);
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    const auto [entry, added] = known.try_emplace(neighbours, static_cast<u32>(twins.first.size()));
    if (added) twins.first.push_back(group);
    twins.of_group.push_back(entry->second);
  }
  return twins;
}

/// The rows of all switches: a set for each set of twins, and one for each group that is a neighbour.
class SwitchRows {
 public:
  SwitchRows(const SwitchGraph& graph, const std::vector<u32>& switch_of_group, Twins twins, SetTable& sets)
      : graph_(graph), twins_(std::move(twins)), far_(u64{graph.switches()} * twins_.first.size(), kNone) {
    add_near(switch_of_group, sets);
  }

  const Twins& twins() const { return twins_; }

  /// Adds the sets of all switches towards the twins of number `number`; `hops` are those to the first of them.
  void add_far(u32 number, const std::vector<u32>& hops, const std::vector<u32>& order, SetTable& sets) {
    std::vector<u16> ports;
    for (const u32 s : order) {
      if (hops[s] == 1) continue;  // near
      ports.clear();
      // Every port leads from one twin to another on a shortest path; a twin's entry for itself is never used.
      for (const SwitchGraph::Edge& edge : graph_.edges_of(s)) {
        if (s == order[0] || hops[edge.to] + 1 == hops[s]) ports.push_back(edge.port);
      }
      // Neighbouring twins mostly share their set (all uplinks): compared before searching.
      u32& far = far_[s * width() + number];
      far = sets.index_of(ports, number == 0 ? kNone : *(&far - 1));
    }
  }

  /// Writes one row for all switches that are alike.
  void write(NextHopTable& table) const {
    std::unordered_multimap<u64, u32> rows;  // hash -> a switch that has such a row
    for (u32 s = 0; s < graph_.switches(); ++s) {
      const auto [begin, end] = rows.equal_range(hash_of(s));
      const auto like = std::find_if(begin, end, [&](const auto& entry) { return alike(entry.second, s); });
      if (like != end) {
        table.row_of.push_back(table.row_of[like->second]);
        continue;
      }
      rows.emplace(hash_of(s), s);
      table.row_of.push_back(table.rows());
      const size_t row = table.set_of.size();
      for (const u32 number : twins_.of_group) table.set_of.push_back(far_[s * width() + number]);
      for (const Near& near : near_of(s)) table.set_of[row + near.group] = near.set;
    }
  }

 private:
  struct Near {
    u32 group, set;
    bool operator==(const Near&) const = default;
  };

  size_t width() const { return twins_.first.size(); }
  std::span<const u32> far_of(u32 s) const { return std::span(far_).subspan(s * width(), width()); }
  std::span<const Near> near_of(u32 s) const {
    return std::span(near_).subspan(first_near_[s], first_near_[s + 1] - first_near_[s]);
  }

  /// Adds the ports of every switch that lead directly to a group.
  void add_near(const std::vector<u32>& switch_of_group, SetTable& sets) {
    std::vector<u32> group_of(graph_.switches(), kNone);
    for (u32 g = 0; g < switch_of_group.size(); ++g) group_of[switch_of_group[g]] = g;
    std::vector<std::pair<u32, u16>> ports_to;  // group, port
    std::vector<u16> ports;
    for (u32 s = 0; s < graph_.switches(); ++s) {
      first_near_.push_back(near_.size());
      ports_to.clear();
      for (const SwitchGraph::Edge& edge : graph_.edges_of(s)) {
        if (group_of[edge.to] != kNone) ports_to.emplace_back(group_of[edge.to], edge.port);
      }
      std::ranges::sort(ports_to);
      for (size_t i = 0; i < ports_to.size();) {
        const u32 group = ports_to[i].first;
        for (ports.clear(); i < ports_to.size() && ports_to[i].first == group; ++i) ports.push_back(ports_to[i].second);
        near_.push_back({group, sets.index_of(ports)});
      }
    }
    first_near_.push_back(near_.size());
  }

  u64 hash_of(u32 s) const {
    u64 h = 0;
    for (const u32 set : far_of(s)) h = absorb(h, set);
    for (const Near& near : near_of(s)) h = absorb(h, (u64{near.group} << 32) | near.set);
    return h;
  }

  bool alike(u32 a, u32 b) const {
    return std::ranges::equal(far_of(a), far_of(b)) && std::ranges::equal(near_of(a), near_of(b));
  }

  const SwitchGraph& graph_;
  Twins twins_;
  std::vector<u32> far_;  // [switch * width + number of the set of twins] -> set
  std::vector<Near> near_;
  std::vector<size_t> first_near_;  // [switch + 1]
};

void fill_table(const SwitchGraph& graph, const std::vector<u32>& switch_of_group, NextHopTable& table) {
  SetTable sets(table);
  SwitchRows rows(graph, switch_of_group, find_twins(graph, switch_of_group), sets);
  std::vector<u32> hops(graph.switches()), order;
  for (u32 number = 0; number < rows.twins().first.size(); ++number) {
    hops_from(switch_of_group[rows.twins().first[number]], graph, hops, order);
    rows.add_far(number, hops, order, sets);
  }
  rows.write(table);
}

}  // namespace

void build_routes(const Fabric& fabric, Routing& routing) {
  const std::vector<u32> switch_of_group = add_groups(fabric, routing);
  fill_table(switch_graph(fabric), switch_of_group, routing.table);
}

NextHopTable next_hops_without(const Fabric& fabric, const Routing& routing, const std::vector<bool>& out) {
  NextHopTable table;
  table.groups = routing.table.groups;
  std::vector<u32> switch_of_group = routing.switches_of_groups();
  for (u32& s : switch_of_group) s -= fabric.endpoints;
  fill_table(switch_graph(fabric, out), switch_of_group, table);
  return table;
}

}  // namespace heddle
