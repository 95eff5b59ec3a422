#include "tests/property/imported_graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/property/draw.hpp"

namespace heddle::property {
namespace {

template <class T>
void shuffle(std::vector<T>& values, Draw& draw) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[draw.below(i)]);
}

/// A path that never returns to a node, found by search in random order.
class PathFinder {
 public:
  PathFinder(const ImportedGraph& graph, Draw& draw) : draw_(draw), neighbours_(graph.nodes()), seen_(graph.nodes()) {
    for (const ImportedGraph::Cable& cable : graph.cables) {
      neighbours_[cable.a].push_back(cable.b);
      neighbours_[cable.b].push_back(cable.a);
    }
    hosts_.assign(graph.nodes(), false);
    for (u32 host : graph.hosts) hosts_[host] = true;
  }

  std::string between(u32 from, u32 to) {
    seen_.assign(seen_.size(), false);
    path_.clear();
    walk(from, to);
    std::string text;
    for (u32 node : path_) text += (text.empty() ? "" : " ") + std::to_string(node);
    return text;
  }

 private:
  bool walk(u32 at, u32 to) {
    seen_[at] = true;
    path_.push_back(at);
    if (at == to) return true;
    std::vector<u32> next = neighbours_[at];
    shuffle(next, draw_);
    for (u32 node : next) {
      const bool through_a_host = hosts_[node] && node != to;
      if (!seen_[node] && !through_a_host && walk(node, to)) return true;
    }
    path_.pop_back();
    return false;
  }

  Draw& draw_;
  std::vector<std::vector<u32>> neighbours_;
  std::vector<bool> seen_, hosts_;
  std::vector<u32> path_;
};

}  // namespace

u32 ImportedGraph::max_ports() const {
  std::vector<u32> ports(nodes(), 0);
  for (const Cable& cable : cables) ++ports[cable.a], ++ports[cable.b];
  return *std::max_element(ports.begin(), ports.end());
}

ImportedGraph draw_graph(u64 seed, u64 host_bits_per_s) {
  Draw draw(seed, "graph");
  ImportedGraph graph;
  const u64 hosts = draw.between(2, 10), switches = draw.between(1, 6);
  std::vector<u32> ids(hosts + switches);
  std::iota(ids.begin(), ids.end(), 0);
  shuffle(ids, draw);
  graph.hosts.assign(ids.begin(), ids.begin() + static_cast<i64>(hosts));
  graph.switches.assign(ids.begin() + static_cast<i64>(hosts), ids.end());
  const bool alike = draw.percent(40);
  const auto add = [&](u32 a, u32 b) {
    const auto joins = [&](const ImportedGraph::Cable& c) { return std::minmax(c.a, c.b) == std::minmax(a, b); };
    if (std::ranges::any_of(graph.cables, joins)) return;  // the file may name a pair of nodes once
    const u64 faster = alike ? 1 : draw.pick<u64>({1, 1, 2, 4});
    const u64 delay_ps = alike ? 300'000 : draw.pick<u64>({300'000, 300'000, 50'000, 1'000'000, 555'555});
    graph.cables.push_back({a, b, host_bits_per_s * faster, delay_ps});
  };
  for (u32 host : graph.hosts) add(host, graph.switches[draw.below(switches)]);
  for (u64 s = 1; s < switches; ++s) add(graph.switches[s], graph.switches[draw.below(s)]);
  const u64 more = switches == 1 ? 0 : draw.below(5);
  for (u64 i = 0; i < more; ++i) {
    const u64 a = draw.below(switches), b = (a + 1 + draw.below(switches - 1)) % switches;
    add(graph.switches[a], graph.switches[b]);
  }
  return graph;
}

std::string topology_text(const ImportedGraph& graph) {
  std::string text = std::to_string(graph.nodes()) + " " + std::to_string(graph.switches.size()) + " " +
                     std::to_string(graph.cables.size()) + "\n";
  for (u32 id : graph.switches) text += std::to_string(id) + " ";
  text += "\n";
  for (const ImportedGraph::Cable& cable : graph.cables) {
    text += std::to_string(cable.a) + " " + std::to_string(cable.b) + " " + std::to_string(cable.bits_per_s) + "bps " +
            std::to_string(cable.delay_ps) + "ps 0\n";
  }
  return text;
}

std::string paths_text(const ImportedGraph& graph, u64 seed) {
  Draw draw(seed, "paths");
  PathFinder finder(graph, draw);
  std::string text = "src,dst,data_path,ack_path\n";
  for (u32 src : graph.hosts) {
    for (u32 dst : graph.hosts) {
      if (src == dst) continue;
      text += std::to_string(src) + "," + std::to_string(dst) + "," + finder.between(src, dst) + "," +
              finder.between(dst, src) + "\n";
    }
  }
  return text;
}

}  // namespace heddle::property
