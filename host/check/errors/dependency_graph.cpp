#include "host/check/errors/dependency_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace heddle {
namespace {

/// A set of one row, by its number in that row, and the set that follows it: up to three groups for which it follows.
/// Three are enough, as at most two of them are the switches' own.
struct Continuation {
  u32 here = 0, next = 0;
  u32 groups[3] = {kNone, kNone, kNone};

  /// Whether `next` follows `here` for a group other than these two.
  bool serves_others_than(u32 a, u32 b) const {
    return std::ranges::any_of(groups, [&](u32 g) { return g != kNone && g != a && g != b; });
  }
};

/// The next-hop sets by row of the table rather than by switch, as many switches share a row.
class Rows {
 public:
  explicit Rows(const NextHopTable& table) : table_(table), sets_(table.rows()), number_(table.set_of.size(), kNone) {
    std::vector<u32> seen(table.sets.size());
    for (u32 row = 0; row < table.rows(); ++row) {
      std::ranges::fill(seen, kNone);
      for (u32 group = 0; group < table.groups; ++group) {
        const u32 set = table.set_in_row(row, group);
        if (set == kNone) continue;
        if (seen[set] == kNone) seen[set] = static_cast<u32>(sets_[row].size()), sets_[row].push_back(set);
        number_[static_cast<u64>(row) * table.groups + group] = seen[set];
      }
    }
  }

  /// The distinct sets of a row; the index of a set in it is its number.
  const std::vector<u32>& sets(u32 row) const { return sets_[row]; }

  /// Continuations of rows of two neighbouring switches, by `here`, then `next`. With next = here: a row's own sets.
  const std::vector<Continuation>& continuations(u32 here, u32 next) {
    auto [at, is_new] = known_.try_emplace((static_cast<u64>(here) << 32) | next);
    if (is_new) at->second = find(here, next);
    return at->second;
  }

 private:
  u32 number(u32 row, u32 group) const { return number_[static_cast<u64>(row) * table_.groups + group]; }

  std::vector<Continuation> find(u32 here, u32 next) const {
    std::vector<std::pair<u64, u32>> all;  // (numbers of both sets, group)
    for (u32 group = 0; group < table_.groups; ++group) {
      const u32 a = number(here, group), b = number(next, group);
      if (a != kNone && b != kNone) all.emplace_back((static_cast<u64>(a) << 32) | b, group);
    }
    std::ranges::sort(all);
    std::vector<Continuation> out;
    u32 groups = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].first != all[i - 1].first) {
        out.push_back({static_cast<u32>(all[i].first >> 32), static_cast<u32>(all[i].first)});
        groups = 0;
      }
      if (groups < std::size(out.back().groups)) out.back().groups[groups++] = all[i].second;
    }
    return out;
  }

  const NextHopTable& table_;
  std::vector<std::vector<u32>> sets_;
  std::vector<u32> number_;  // [row * groups + group] -> number of the set in that row
  std::unordered_map<u64, std::vector<Continuation>> known_;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(const World& world) : world_(world), rows_(world.routing.table) {
    graph_.links = static_cast<u32>(world.fabric.links.size());
    graph_.edges.resize(graph_.links);
  }

  DependencyGraph build() {
    if (world_.routing.paths_are_given()) {
      add_explicit();
    } else {
      add_sets();
      for (NodeId s = world_.fabric.endpoints; s < world_.fabric.nodes.size(); ++s) add_switch(s);
    }
    for (auto& list : graph_.edges) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return std::move(graph_);
  }

 private:
  u32 first_vertex(NodeId s) const { return first_vertex_[s - world_.fabric.endpoints]; }

  /// Adds the sets of every switch as vertices, with edges to the egress links, and notes the group of each switch.
  void add_sets() {
    const Fabric& fabric = world_.fabric;
    own_group_.assign(fabric.nodes.size() - fabric.endpoints, kNone);
    const std::vector<NodeId> switches = world_.routing.switches_of_groups();
    for (u32 g = 0; g < switches.size(); ++g) {
      if (switches[g] != kNone) own_group_[switches[g] - fabric.endpoints] = g;
    }
    for (NodeId s = fabric.endpoints; s < fabric.nodes.size(); ++s) {
      first_vertex_.push_back(static_cast<u32>(graph_.edges.size()));
      for (const u32 set : rows_.sets(world_.routing.row_of(s))) {
        std::vector<u32>& out = graph_.edges.emplace_back();
        for (const u16 port : world_.routing.table.ports_of(set)) out.push_back(fabric.nodes[s].first_link + port);
      }
    }
  }

  /// Adds the edges from every link that leaves switch s or the NICs of its endpoints.
  void add_switch(NodeId s) {
    const Fabric& fabric = world_.fabric;
    const Node& node = fabric.nodes[s];
    const u32 row = world_.routing.row_of(s), own = own_group_[s - fabric.endpoints];
    for (u32 port = 0; port < node.ports; ++port) {
      const Link& egress = fabric.links[node.first_link + port];
      if (egress.dst < fabric.endpoints) {
        for (const Continuation& c : rows_.continuations(row, row))
          if (c.serves_others_than(own, own)) graph_.edges[egress.reverse].push_back(first_vertex(s) + c.here);
      }
    }
    for (u32 number = 0; number < rows_.sets(row).size(); ++number) {
      for (const u16 port : world_.routing.table.ports_of(rows_.sets(row)[number])) add_hop(s, row, number, port);
    }
  }

  /// Adds the edges from a port of one set of s to the sets of the next switch that its packets may take.
  void add_hop(NodeId s, u32 row, u32 number, u16 port) {
    const Fabric& fabric = world_.fabric;
    const LinkId l = fabric.nodes[s].first_link + port;
    const NodeId next = fabric.links[l].dst;
    if (next < fabric.endpoints) return;
    const std::vector<Continuation>& all = rows_.continuations(row, world_.routing.row_of(next));
    const auto by_here = [](const Continuation& a, const Continuation& b) { return a.here < b.here; };
    const auto [begin, end] = std::equal_range(all.begin(), all.end(), Continuation{.here = number}, by_here);
    for (auto c = begin; c != end; ++c) {
      if (c->serves_others_than(own_group_[s - fabric.endpoints], own_group_[next - fabric.endpoints]))
        graph_.edges[l].push_back(first_vertex(next) + c->next);
    }
  }

  void add_explicit() {
    const Fabric& fabric = world_.fabric;
    for (const Qp& qp : world_.traffic.qps) {
      if (!fabric.classes[qp.traffic_class].pfc || qp.data_path == kNone) continue;
      add_path(qp.src, qp.data_path);
      if (answers_share_class(qp) && qp.control_path != kNone) add_path(qp.dst, qp.control_path);
    }
  }

  /// Whether packets from the QP's receiver to its sender share the class of its data.
  bool answers_share_class(const Qp& qp) const {
    return is_tcp(world_, qp.traffic_class) || !world_.roce.ack_high_priority ||
           (!world_.roce.cts_high_priority && qp.connection != kNone);
  }

  void add_path(EndpointId src, u32 path) {
    const Fabric& fabric = world_.fabric;
    LinkId before = fabric.nodes[src].first_link;
    for (u32 i = world_.routing.path_first[path]; i < world_.routing.path_first[path + 1]; ++i) {
      const LinkId l = fabric.nodes[world_.routing.hops[i].node].first_link + world_.routing.hops[i].port;
      add_edge(before, l);
      before = l;
    }
  }

  void add_edge(u32 from, u32 to) {
    auto& list = graph_.edges[from];
    if (list.empty() || list.back() != to) list.push_back(to);
    if (list.size() >= 64 && (list.size() & (list.size() - 1)) == 0) {  // keep repeated pairs from piling up
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  const World& world_;
  Rows rows_;
  DependencyGraph graph_;
  std::vector<u32> first_vertex_;  // [switch - endpoints] the first of its row's sets, in order
  std::vector<u32> own_group_;     // [switch - endpoints] the group attached to it, or kNone
};

}  // namespace

DependencyGraph dependency_graph(const World& world) { return GraphBuilder(world).build(); }

}  // namespace heddle
