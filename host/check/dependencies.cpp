// Buffer dependences: link l waits for link m when a packet that came by l may have to leave by m. With lossless
// classes a circle of waiting links never moves again.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/check/link_types.hpp"
#include "host/check/routes.hpp"

namespace heddle {
namespace {

/// Directed graph whose vertices are links and, behind them, (switch, next-hop set) pairs: a link that leads into a
/// switch points to the sets used there, a set to its egress links. Far fewer edges than link to link.
struct DependencyGraph {
  u32 links = 0;
  std::vector<std::vector<u32>> edges;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(const World& world) : world_(world) {
    graph_.links = static_cast<u32>(world.fabric.links.size());
    graph_.edges.resize(graph_.links);
  }

  DependencyGraph build() {
    if (world_.routing.policy == RoutingPolicy::explicit_paths) {
      add_explicit();
    } else {
      for (NodeId s = world_.fabric.endpoints; s < world_.fabric.nodes.size(); ++s) add_switch(s);
    }
    for (auto& list : graph_.edges) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return std::move(graph_);
  }

 private:
  u32 set_at(NodeId s, u32 group) const {
    return world_.routing.table[static_cast<size_t>(s - world_.fabric.endpoints) * world_.routing.groups + group];
  }

  /// The vertex of (switch, set), with its edges to the egress links.
  u32 set_vertex(NodeId s, u32 set) {
    const u64 key = (static_cast<u64>(s) << 32) | set;
    const auto [at, is_new] = vertices_.try_emplace(key, static_cast<u32>(graph_.edges.size()));
    if (is_new) {
      const NextHops& hops = world_.routing.sets[set];
      std::vector<u32> out;
      for (u32 i = 0; i < hops.count; ++i) {
        out.push_back(world_.fabric.nodes[s].first_link + world_.routing.ports[hops.first + i]);
      }
      graph_.edges.push_back(std::move(out));
    }
    return at->second;
  }

  /// What may come next after every link that leaves switch s or its endpoints' NICs.
  void add_switch(NodeId s) {
    const Fabric& fabric = world_.fabric;
    const Node& node = fabric.nodes[s];
    for (u32 group = 0; group < world_.routing.groups; ++group) {
      const u32 set = set_at(s, group);
      if (set == kNone) continue;
      const u32 here = set_vertex(s, set);
      for (u32 port = 0; port < node.ports; ++port) {
        const Link& egress = fabric.links[node.first_link + port];
        if (egress.dst < fabric.endpoints) add_edge(egress.reverse, here);
      }
      const NextHops& hops = world_.routing.sets[set];
      for (u32 i = 0; i < hops.count; ++i) {
        const LinkId l = node.first_link + world_.routing.ports[hops.first + i];
        const NodeId next = fabric.links[l].dst;
        if (next < fabric.endpoints) continue;
        const u32 next_set = set_at(next, group);
        if (next_set != kNone) add_edge(l, set_vertex(next, next_set));
      }
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

  void add_explicit() {
    const Fabric& fabric = world_.fabric;
    for (const Qp& qp : world_.traffic.qps) {
      if (!fabric.classes[qp.traffic_class].pfc || qp.data_path == kNone) continue;
      LinkId before = fabric.nodes[qp.src].first_link;
      const u32 end = world_.routing.path_first[qp.data_path + 1];
      for (u32 i = world_.routing.path_first[qp.data_path]; i < end; ++i) {
        const LinkId l = fabric.nodes[world_.routing.hops[i].node].first_link + world_.routing.hops[i].port;
        add_edge(before, l);
        before = l;
      }
    }
  }

  const World& world_;
  DependencyGraph graph_;
  std::unordered_map<u64, u32> vertices_;
};

/// The vertices of one directed circle, or nothing.
std::vector<u32> find_cycle(const DependencyGraph& graph) {
  enum class State : u8 { unseen, open, done };
  std::vector<State> state(graph.edges.size(), State::unseen);
  std::vector<std::pair<u32, u32>> stack;  // vertex, next edge
  for (u32 start = 0; start < graph.edges.size(); ++start) {
    if (state[start] != State::unseen) continue;
    stack.assign(1, {start, 0});
    state[start] = State::open;
    while (!stack.empty()) {
      auto& [vertex, edge] = stack.back();
      if (edge == graph.edges[vertex].size()) {
        state[vertex] = State::done;
        stack.pop_back();
        continue;
      }
      const u32 to = graph.edges[vertex][edge++];
      if (state[to] == State::open) {
        std::vector<u32> cycle;
        for (const auto& frame : stack) {
          if (!cycle.empty() || frame.first == to) cycle.push_back(frame.first);
        }
        return cycle;
      }
      if (state[to] == State::unseen) {
        state[to] = State::open;
        stack.emplace_back(to, 0);
      }
    }
  }
  return {};
}

}  // namespace

std::string buffer_dependency_cycle(const World& world) {
  const auto lossless = [](const TrafficClass& c) { return c.pfc; };
  if (std::none_of(world.fabric.classes.begin(), world.fabric.classes.end(), lossless)) return {};
  const DependencyGraph graph = GraphBuilder(world).build();
  std::string text;
  for (const u32 vertex : find_cycle(graph)) {
    if (vertex < graph.links) text += (text.empty() ? "" : "; ") + link_name(world.fabric, vertex);
  }
  return text;
}

}  // namespace heddle
