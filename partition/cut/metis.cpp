// METIS: multilevel partitioning for even work with least packets over the cut. Its k-way method is the better one on
// large graphs and leaves all in one part on tiny ones, its recursive bisection the reverse: both are tried.
#include <algorithm>
#include <numeric>

#include "partition/cut/metis_parts.hpp"
#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

constexpr u64 kAlikeShare = 20;  // if the largest works differ by less than this part, fewer packets decide

/// Limits a vertex's weight to a rank's share: METIS would leave ranks empty to compensate for a larger one.
std::vector<u64> at_most_a_share(std::vector<u64> weights, u32 ranks) {
  for (u64 before = 0, total = 1; before != total;) {
    before = std::accumulate(weights.begin(), weights.end(), u64{0});
    for (u64& w : weights) w = std::min(w, std::max<u64>(before / ranks, 1));
    total = std::accumulate(weights.begin(), weights.end(), u64{0});
  }
  return weights;
}

/// METIS may leave a part empty when parts consist of few, large vertices. Each such rank takes the lightest vertex of
/// the rank with most work among those that have two or more.
void fill_empty_ranks(const CutGraph& graph, u32 ranks, std::vector<u32>& rank_of_vertex) {
  std::vector<u64> work(ranks);
  std::vector<u32> count(ranks);
  for (u32 v = 0; v < graph.vertices(); ++v) {
    work[rank_of_vertex[v]] += graph.vertex_weight[v];
    ++count[rank_of_vertex[v]];
  }
  for (u32 empty = 0; empty < ranks; ++empty) {
    if (count[empty] != 0) continue;
    u32 giver = kNone, given = kNone;
    for (u32 r = 0; r < ranks; ++r) {
      if (count[r] >= 2 && (giver == kNone || work[r] > work[giver])) giver = r;
    }
    for (u32 v = 0; v < graph.vertices(); ++v) {
      if (rank_of_vertex[v] != giver) continue;
      if (given == kNone || graph.vertex_weight[v] < graph.vertex_weight[given]) given = v;
    }
    rank_of_vertex[given] = empty;
    --count[giver], ++count[empty];
    work[giver] -= graph.vertex_weight[given], work[empty] += graph.vertex_weight[given];
  }
}

/// The largest work of a rank.
u64 max_work(const CutGraph& graph, u32 ranks, const std::vector<u32>& rank_of_vertex) {
  std::vector<u64> work(ranks);
  for (u32 v = 0; v < graph.vertices(); ++v) work[rank_of_vertex[v]] += graph.vertex_weight[v];
  return *std::max_element(work.begin(), work.end());
}

u64 packets_cut(const CutGraph& graph, const std::vector<u32>& rank_of_vertex) {
  u64 sum = 0;
  for (u32 v = 0; v < graph.vertices(); ++v) {
    for (u32 k = graph.first[v]; k < graph.first[v + 1]; ++k) {
      if (rank_of_vertex[v] != rank_of_vertex[graph.neighbour[k]]) sum += graph.edge_weight[k];
    }
  }
  return sum;
}

}  // namespace

std::vector<u32> divide_by_metis(const CutGraph& graph, u32 ranks) {
  const std::vector<u64> weights = at_most_a_share(graph.vertex_weight, ranks);
  const MetisRequest request{.parts = ranks, .in_one_piece = true};
  std::vector<u32> kway = metis_parts(graph, weights, MetisMethod::kway, request),
                   bisected = metis_parts(graph, weights, MetisMethod::bisection, request);
  fill_empty_ranks(graph, ranks, kway);
  fill_empty_ranks(graph, ranks, bisected);
  const u64 max_kway = max_work(graph, ranks, kway), max_bisected = max_work(graph, ranks, bisected);
  const u64 alike = std::min(max_kway, max_bisected) / kAlikeShare;
  if (max_kway > max_bisected + alike) return bisected;
  if (max_bisected > max_kway + alike) return kway;
  return packets_cut(graph, bisected) < packets_cut(graph, kway) ? bisected : kway;
}

}  // namespace heddle
