// METIS: multilevel partitioning; even work, least packets over the cut. Its k-way method is the better one on large
// graphs and leaves all in one part on tiny ones, its recursive bisection the other way round: both are tried.
#include <metis.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

constexpr idx_t kSeed = 1;
constexpr idx_t kTries = 8;                // cuts made, the best kept; a 24K fabric takes well under a second
constexpr u64 kAlikeShare = 20;            // most work of a rank within this part: the fewer packets decide
constexpr u64 kSumOfWeights = 1ull << 24;  // METIS counts in 32 bits and weighs sums in floats of 24

/// A vertex with more work than a rank's share counts as a share: METIS would leave ranks empty to make up for it.
std::vector<u64> at_most_a_share(std::vector<u64> weights, u32 ranks) {
  for (u64 before = 0, total = 1; before != total;) {
    before = std::accumulate(weights.begin(), weights.end(), u64{0});
    for (u64& w : weights) w = std::min(w, std::max<u64>(before / ranks, 1));
    total = std::accumulate(weights.begin(), weights.end(), u64{0});
  }
  return weights;
}

/// Weights as METIS wants them: positive, and of a sum that its integers hold.
std::vector<idx_t> scaled(const std::vector<u64>& weights) {
  const u64 total = std::max<u64>(std::accumulate(weights.begin(), weights.end(), u64{0}), 1);
  std::vector<idx_t> out;
  out.reserve(weights.size());
  for (const u64 w : weights) {
    out.push_back(1 + static_cast<idx_t>(static_cast<unsigned __int128>(w) * kSumOfWeights / total));
  }
  return out;
}

bool connected(const CutGraph& graph) {
  std::vector<bool> seen(graph.vertices(), false);
  std::vector<u32> reached = {0};
  seen[0] = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (u32 k = graph.first[reached[i]]; k < graph.first[reached[i] + 1]; ++k) {
      const u32 to = graph.neighbour[k];
      if (!seen[to]) seen[to] = true, reached.push_back(to);
    }
  }
  return reached.size() == graph.vertices();
}

void check_status(int status) {
  if (status == METIS_OK) return;
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  throw std::runtime_error("METIS_PartGraphKway failed with status " + std::to_string(status) +
                           " on the graph of racks; try the policy blocks");
}

/// METIS may leave a part empty when parts are few vertices large. Each such rank takes the lightest vertex of the
/// rank with most work among those that have two or more.
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

/// The graph as METIS takes it.
class MetisGraph {
 public:
  MetisGraph(const CutGraph& graph, u32 ranks)
      : ranks_(static_cast<idx_t>(ranks)),
        first_(graph.first.begin(), graph.first.end()),
        neighbour_(graph.neighbour.begin(), graph.neighbour.end()),
        vertex_weight_(scaled(at_most_a_share(graph.vertex_weight, ranks))),
        edge_weight_(scaled(graph.edge_weight)) {
    METIS_SetDefaultOptions(options_);
    options_[METIS_OPTION_NUMBERING] = 0;
    options_[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
    options_[METIS_OPTION_SEED] = kSeed;
    options_[METIS_OPTION_NCUTS] = kTries;
    options_[METIS_OPTION_CONTIG] = connected(graph) ? 1 : 0;  // METIS ends the program when asked in vain
  }

  std::vector<u32> divide(decltype(&METIS_PartGraphKway) method) {
    idx_t vertices = static_cast<idx_t>(vertex_weight_.size()), constraints = 1, cut = 0;
    std::vector<idx_t> part(vertex_weight_.size());
    check_status(method(&vertices, &constraints, first_.data(), neighbour_.data(), vertex_weight_.data(), nullptr,
                        edge_weight_.data(), &ranks_, nullptr, nullptr, options_, &cut, part.data()));
    return {part.begin(), part.end()};
  }

 private:
  idx_t ranks_;
  std::vector<idx_t> first_, neighbour_, vertex_weight_, edge_weight_;
  idx_t options_[METIS_NOPTIONS];
};

/// Most work of a rank.
u64 most_work(const CutGraph& graph, u32 ranks, const std::vector<u32>& rank_of_vertex) {
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
  MetisGraph metis(graph, ranks);
  std::vector<u32> kway = metis.divide(METIS_PartGraphKway), bisected = metis.divide(METIS_PartGraphRecursive);
  fill_empty_ranks(graph, ranks, kway);
  fill_empty_ranks(graph, ranks, bisected);
  const u64 most_kway = most_work(graph, ranks, kway), most_bisected = most_work(graph, ranks, bisected);
  const u64 alike = std::min(most_kway, most_bisected) / kAlikeShare;
  if (most_kway > most_bisected + alike) return bisected;
  if (most_bisected > most_kway + alike) return kway;
  return packets_cut(graph, bisected) < packets_cut(graph, kway) ? bisected : kway;
}

}  // namespace heddle
