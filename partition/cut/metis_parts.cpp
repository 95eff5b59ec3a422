#include "partition/cut/metis_parts.hpp"

#include <metis.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

constexpr idx_t kSeed = 1;
constexpr idx_t kTries = 8;                // cuts made, the best kept; a 24K fabric takes well under a second
constexpr u64 kSumOfWeights = 1ull << 24;  // METIS counts in 32 bits and weighs sums in floats of 24

/// Weights in the form of METIS: positive, with a sum that fits its integers.
std::vector<idx_t> scaled(const std::vector<u64>& weights) {
  const u64 total = std::max<u64>(std::accumulate(weights.begin(), weights.end(), u64{0}), 1);
  std::vector<idx_t> out;
  out.reserve(weights.size());
  for (const u64 w : weights) {
    out.push_back(1 + static_cast<idx_t>(static_cast<unsigned __int128>(w) * kSumOfWeights / total));
  }
  return out;
}

/// Shares in the form of METIS, with a sum of 1; empty: even.
std::vector<real_t> scaled_shares(const std::vector<u32>& shares) {
  const auto total = static_cast<double>(std::accumulate(shares.begin(), shares.end(), u64{0}));
  std::vector<real_t> out;
  out.reserve(shares.size());
  for (const u32 share : shares) out.push_back(static_cast<real_t>(share / total));
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
  throw std::runtime_error("METIS failed with status " + std::to_string(status) + " on a graph of " +
                           "racks or servers; try [partition] policy = \"blocks\" or another job.placement");
}

}  // namespace

std::vector<u32> metis_parts(const CutGraph& graph, const std::vector<u64>& vertex_weight, MetisMethod method,
                             const MetisRequest& request) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
  options[METIS_OPTION_SEED] = kSeed;
  options[METIS_OPTION_NCUTS] = kTries;
  // METIS ends the program when contiguous parts are impossible
  options[METIS_OPTION_CONTIG] = request.in_one_piece && connected(graph) ? 1 : 0;
  std::vector<idx_t> first(graph.first.begin(), graph.first.end()),
      neighbour(graph.neighbour.begin(), graph.neighbour.end()), weight = scaled(vertex_weight),
                                                                 edge_weight = scaled(graph.edge_weight);
  std::vector<real_t> shares = scaled_shares(request.shares);
  auto vertices = static_cast<idx_t>(weight.size()), parts = static_cast<idx_t>(request.parts);
  idx_t constraints = 1, cut = 0;
  std::vector<idx_t> part(weight.size());
  static std::mutex one_at_a_time;  // METIS seeds rand(), which all threads share
  const std::lock_guard lock(one_at_a_time);
  const auto divide = method == MetisMethod::kway ? &METIS_PartGraphKway : &METIS_PartGraphRecursive;
  check_status(divide(&vertices, &constraints, first.data(), neighbour.data(), weight.data(), nullptr,
                      edge_weight.data(), &parts, shares.empty() ? nullptr : shares.data(), nullptr, options, &cut,
                      part.data()));
  return {part.begin(), part.end()};
}

}  // namespace heddle
