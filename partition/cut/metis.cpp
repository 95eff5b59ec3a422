// METIS: multilevel k-way partitioning; even work, least packets over the cut.
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
constexpr u64 kSumOfWeights = 1ull << 24;  // METIS counts in 32 bits and weighs sums in floats of 24

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

}  // namespace

std::vector<u32> divide_by_metis(const CutGraph& graph, u32 ranks) {
  idx_t vertices = static_cast<idx_t>(graph.vertices()), constraints = 1, parts = static_cast<idx_t>(ranks), cut = 0;
  std::vector<idx_t> first(graph.first.begin(), graph.first.end());
  std::vector<idx_t> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> vertex_weight = scaled(graph.vertex_weight), edge_weight = scaled(graph.edge_weight);
  std::vector<idx_t> part(graph.vertices());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
  options[METIS_OPTION_SEED] = kSeed;
  options[METIS_OPTION_NCUTS] = kTries;
  options[METIS_OPTION_CONTIG] = connected(graph) ? 1 : 0;  // METIS ends the program when asked in vain
  check_status(METIS_PartGraphKway(&vertices, &constraints, first.data(), neighbour.data(), vertex_weight.data(),
                                   nullptr, edge_weight.data(), &parts, nullptr, nullptr, options, &cut, part.data()));
  std::vector<u32> rank_of_vertex(part.begin(), part.end());
  fill_empty_ranks(graph, ranks, rank_of_vertex);
  return rank_of_vertex;
}

}  // namespace heddle
