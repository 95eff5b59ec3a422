#include "partition/cut/graph.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle {
namespace {

constexpr u64 kPortShare = 64;  // a port's work as a part of a link's mean packets

}  // namespace

CutGraph make_graph(std::vector<u64> vertex_weight, std::vector<VertexPlace> place,
                    std::span<const WeightedEdge> edges) {
  std::vector<WeightedEdge> both;
  both.reserve(edges.size() * 2);
  for (const WeightedEdge& e : edges) {
    if (e.a == e.b) continue;
    both.push_back(e);
    both.push_back({e.b, e.a, e.weight});
  }
  std::sort(both.begin(), both.end(),
            [](const WeightedEdge& x, const WeightedEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  CutGraph graph;
  graph.first.assign(vertex_weight.size() + 1, 0);
  for (size_t i = 0; i < both.size(); ++i) {
    if (i > 0 && both[i].a == both[i - 1].a && both[i].b == both[i - 1].b) {
      graph.edge_weight.back() += both[i].weight;
      continue;
    }
    graph.neighbour.push_back(both[i].b);
    graph.edge_weight.push_back(both[i].weight);
    ++graph.first[both[i].a + 1];
  }
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  graph.vertex_weight = std::move(vertex_weight);
  graph.place = std::move(place);
  return graph;
}

std::vector<u64> node_work(const World& world, const ExpectedPackets& packets) {
  const Fabric& f = world.fabric;
  const u64 total = std::accumulate(packets.parts.begin(), packets.parts.end(), u64{0});
  const u64 port = f.links.empty() ? 1 : std::max<u64>(total / f.links.size() / kPortShare, 1);
  std::vector<u64> work(f.nodes.size());
  for (LinkId l = 0; l < f.links.size(); ++l) {
    work[f.links[l].src] += packets.parts[l] + port;
    if (f.links[l].dst < f.endpoints) work[f.links[l].dst] += packets.parts[l];
  }
  return work;
}

CutGraph graph_of(const World& world, const Contraction& contraction, const ExpectedPackets& packets) {
  const Fabric& f = world.fabric;
  const std::vector<u64> work = node_work(world, packets);
  std::vector<u64> weight(contraction.vertices);
  std::vector<VertexPlace> place(contraction.vertices);
  for (NodeId n = static_cast<NodeId>(f.nodes.size()); n-- > 0;) {  // the least node of a vertex gives the zone
    const u32 v = contraction.vertex_of_node[n];
    weight[v] += work[n];
    place[v].zone = f.nodes[n].zone;
    place[v].rack = place[v].rack || n < f.endpoints;
  }
  std::vector<WeightedEdge> edges;
  edges.reserve(f.links.size());
  for (LinkId l = 0; l < f.links.size(); ++l) {
    edges.push_back(
        {contraction.vertex_of_node[f.links[l].src], contraction.vertex_of_node[f.links[l].dst], packets.parts[l]});
  }
  return make_graph(std::move(weight), std::move(place), edges);
}

}  // namespace heddle
