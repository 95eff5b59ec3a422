#include "partition/placement/division.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "partition/cut/metis_parts.hpp"
#include "partition/placement/improvement.hpp"

namespace heddle {
namespace {

/// With fewer vertices per part METIS gives poor parts: they are grown from some servers instead.
constexpr u32 kMinVerticesPerPart = 4;

std::vector<u32> in_order(u32 vertices, std::span<const u32> room) {
  std::vector<u32> part;
  for (u32 p = 0; part.size() < vertices; ++p)
    part.insert(part.end(), std::min<size_t>(room[p], vertices - part.size()), p);
  return part;
}

/// Each part in turn takes the vertex with most weight to it, or the first remaining one when none has any.
std::vector<u32> grown(const ServerGraph& graph, std::span<const u32> room) {
  const CutGraph& edges = graph.edges;
  std::vector<u32> part(edges.vertices(), kNone);
  u32 left = edges.vertices(), next = 0;
  for (u32 p = 0; left > 0; ++p) {
    std::vector<u64> weight(part.size(), 0);
    std::priority_queue<std::pair<u64, u32>> drawn;  // weight, from the last vertex counted
    for (u32 size = 0; size < room[p] && left > 0; ++size, --left) {
      while (!drawn.empty() && part[~drawn.top().second] != kNone) drawn.pop();
      while (part[next] != kNone) ++next;
      const u32 v = drawn.empty() ? next : ~drawn.top().second;
      part[v] = p;
      for (u32 k = edges.first[v]; k < edges.first[v + 1]; ++k) {
        const u32 n = edges.neighbour[k];
        if (part[n] == kNone) drawn.emplace(weight[n] += edges.edge_weight[k], ~n);
      }
    }
  }
  return part;
}

/// Shares of `vertices` that fill the first parts.
std::vector<u32> full_shares(u32 vertices, std::span<const u32> room) {
  std::vector<u32> shares;
  for (const u32 r : room) {
    shares.push_back(std::max(std::min(r, vertices), 1u));  // METIS requires a share for every part
    vertices -= std::min(r, vertices);
  }
  return shares;
}

/// The divisions by both methods; with equally full parts, or with the first ones full.
std::vector<std::vector<u32>> by_metis(const ServerGraph& graph, std::span<const u32> room) {
  if (graph.servers() < kMinVerticesPerPart * room.size() || graph.edges.neighbour.empty()) return {};
  std::vector<std::vector<u32>> shares = {{room.begin(), room.end()}};
  if (std::accumulate(room.begin(), room.end(), u64{0}) > graph.servers())
    shares.push_back(full_shares(graph.servers(), room));
  const std::vector<u64> alike(graph.servers(), 1);
  std::vector<std::vector<u32>> divisions;
  for (const std::vector<u32>& s : shares) {
    for (const MetisMethod method : {MetisMethod::kway, MetisMethod::bisection})
      divisions.push_back(
          metis_parts(graph.edges, alike, method, {.parts = static_cast<u32>(room.size()), .shares = s}));
  }
  return divisions;
}

}  // namespace

ServerGraph part_of(const ServerGraph& graph, std::span<const u32> vertices) {
  std::vector<u32> number(graph.servers(), kNone);
  for (u32 i = 0; i < vertices.size(); ++i) number[vertices[i]] = i;
  std::vector<WeightedEdge> edges;
  for (const u32 v : vertices) {
    for (u32 k = graph.edges.first[v]; k < graph.edges.first[v + 1]; ++k) {
      const u32 n = graph.edges.neighbour[k];
      if (v < n && number[n] != kNone) edges.push_back({number[v], number[n], graph.edges.edge_weight[k]});
    }
  }
  return {make_graph(std::vector<u64>(vertices.size(), 1), {}, edges), graph.each_pair};
}

u64 weight_between(const ServerGraph& graph, const std::vector<u32>& part_of_vertex) {
  u64 sum = 0;
  for (u32 v = 0; v < graph.servers(); ++v) {
    for (u32 k = graph.edges.first[v]; k < graph.edges.first[v + 1]; ++k) {
      const u32 n = graph.edges.neighbour[k];
      if (v < n && part_of_vertex[v] != part_of_vertex[n]) sum += graph.edges.edge_weight[k];
    }
  }
  std::vector<u32> sorted = part_of_vertex;
  std::sort(sorted.begin(), sorted.end());
  u64 before = 0;  // vertices of earlier parts
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i] != sorted[i - 1]) before = i;
    sum += graph.each_pair * before;
  }
  return sum;
}

std::vector<u32> divide_servers(const ServerGraph& graph, std::span<const u32> room) {
  std::vector<u32> best = in_order(graph.servers(), room);
  if (room.size() == 1) return best;
  u64 least = weight_between(graph, best);
  std::vector<std::vector<u32>> divisions = by_metis(graph, room);
  divisions.push_back(grown(graph, room));
  divisions.push_back(best);
  for (std::vector<u32>& division : divisions) {
    make_fit(graph, room, division);
    improve(graph, room, division);
    const u64 weight = weight_between(graph, division);
    if (weight >= least) continue;
    least = weight;
    best = std::move(division);
  }
  return best;
}

}  // namespace heddle
