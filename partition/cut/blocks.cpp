// Blocks: racks in order of zones are cut into runs of even work; spines are dealt out.
#include <algorithm>
#include <tuple>

#include "partition/cut/policies.hpp"

namespace heddle {
namespace {

constexpr u64 kSnapShare = 32;  // a border moves to a zone's border within this part of a rank's work

std::vector<u32> racks_by_zone(const CutGraph& graph) {
  std::vector<u32> racks;
  for (u32 v = 0; v < graph.vertices(); ++v) {
    if (graph.place[v].rack) racks.push_back(v);
  }
  std::stable_sort(racks.begin(), racks.end(), [&](u32 a, u32 b) { return graph.place[a].zone < graph.place[b].zone; });
  return racks;
}

/// The borders of blocks: `blocks` + 1 positions in `racks`, with no block empty. `blocks` <= racks.
std::vector<size_t> block_borders(const CutGraph& graph, const std::vector<u32>& racks, u32 blocks) {
  std::vector<u64> before(racks.size() + 1, 0);  // work of the racks before a position
  for (size_t i = 0; i < racks.size(); ++i) before[i + 1] = before[i] + graph.vertex_weight[racks[i]];
  const auto distance = [&](size_t i, u64 goal) { return before[i] < goal ? goal - before[i] : before[i] - goal; };
  std::vector<size_t> border(blocks + 1, 0);
  border[blocks] = racks.size();
  for (u32 b = 1; b < blocks; ++b) {
    const u64 goal = static_cast<u64>(static_cast<unsigned __int128>(before.back()) * b / blocks);
    const size_t low = border[b - 1] + 1, high = racks.size() - (blocks - b);
    size_t best = low, best_zone = 0;  // 0: no border of zones in range
    for (size_t i = low; i <= high; ++i) {
      if (distance(i, goal) < distance(best, goal)) best = i;
      if (graph.place[racks[i - 1]].zone == graph.place[racks[i]].zone) continue;
      if (best_zone == 0 || distance(i, goal) < distance(best_zone, goal)) best_zone = i;
    }
    const bool snap = best_zone != 0 && distance(best_zone, goal) <= before.back() / blocks / kSnapShare;
    border[b] = snap ? best_zone : best;
  }
  return border;
}

/// Deals a spine to a rank that holds some of its racks (a spine above spines: to any rank), first by fewest spines,
/// then by least work. Empty ranks come first.
class Dealer {
 public:
  Dealer(const CutGraph& graph, std::vector<u32>& rank_of_vertex, u32 ranks)
      : graph_(graph), rank_of_vertex_(rank_of_vertex), spines_(ranks), work_(ranks), vertices_(ranks) {
    for (u32 v = 0; v < graph.vertices(); ++v) {
      if (rank_of_vertex[v] != kNone) add(v, rank_of_vertex[v]);
    }
  }

  void deal(u32 spine) {
    std::vector<bool> near(spines_.size(), false);
    bool any = false;
    for (u32 k = graph_.first[spine]; k < graph_.first[spine + 1]; ++k) {
      const u32 other = graph_.neighbour[k];
      if (graph_.place[other].rack) near[rank_of_vertex_[other]] = any = true;
    }
    u32 best = kNone;
    for (u32 r = 0; r < spines_.size(); ++r) {
      if (any && !near[r] && vertices_[r] != 0) continue;
      if (best == kNone || key(r) < key(best)) best = r;
    }
    rank_of_vertex_[spine] = best;
    ++spines_[best];
    add(spine, best);
  }

 private:
  std::tuple<bool, u32, u64> key(u32 r) const { return {vertices_[r] != 0, spines_[r], work_[r]}; }

  void add(u32 v, u32 rank) {
    work_[rank] += graph_.vertex_weight[v];
    ++vertices_[rank];
  }

  const CutGraph& graph_;
  std::vector<u32>& rank_of_vertex_;
  std::vector<u32> spines_;
  std::vector<u64> work_;
  std::vector<u32> vertices_;
};

}  // namespace

std::vector<u32> divide_in_blocks(const CutGraph& graph, u32 ranks) {
  std::vector<u32> rank_of_vertex(graph.vertices(), kNone);
  const std::vector<u32> racks = racks_by_zone(graph);
  if (!racks.empty()) {
    const u32 blocks = std::min(ranks, static_cast<u32>(racks.size()));
    const std::vector<size_t> border = block_borders(graph, racks, blocks);
    for (u32 b = 0; b < blocks; ++b) {
      for (size_t i = border[b]; i < border[b + 1]; ++i) rank_of_vertex[racks[i]] = b;
    }
  }
  Dealer dealer(graph, rank_of_vertex, ranks);
  for (u32 v = 0; v < graph.vertices(); ++v) {
    if (rank_of_vertex[v] == kNone) dealer.deal(v);
  }
  return rank_of_vertex;
}

}  // namespace heddle
