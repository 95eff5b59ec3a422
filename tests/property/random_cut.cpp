#include "tests/property/random_cut.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/base/hash.hpp"
#include "kernels/outcome/failed_qp.hpp"

namespace heddle::property {
namespace {

/// The lowest node of each node's group.
std::vector<u32> groups(const World& world) {
  std::vector<u32> parent(world.fabric.nodes.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](u32 n) {
    while (parent[n] != n) n = parent[n];
    return n;
  };
  const auto join = [&](u32 x, u32 y) {
    const u32 a = root(x), b = root(y);
    parent[std::max(a, b)] = std::min(a, b);
  };
  for (const Connection& c : world.collectives.connections) {
    if (c.nvlink) join(c.src, c.dst);
  }
  for (const Job& job : world.collectives.jobs) {
    const u32 server = job.all_pairs.gpus_per_server;
    for (u32 rank = 0; job.all_pairs && rank < job.ranks.size(); ++rank)
      join(job.ranks[rank / server * server], job.ranks[rank]);
  }
  for (const ProgramRun& run : world.programs.runs) {
    if (run.batches != 0) join(run.gpu, run.helper);
  }
  for (u32 n = 0; n < parent.size(); ++n) parent[n] = root(n);
  return parent;
}

/// Half the least latency of a cut link, and at most the notice time of failures.
TimePs period_of(const World& world, const std::vector<u32>& rank_of_node) {
  TimePs min_ps = failure_notice_ps(world.clocks.epoch_ps);
  for (const Link& link : world.fabric.links) {
    if (rank_of_node[link.src] == rank_of_node[link.dst]) continue;
    min_ps = std::min(min_ps, min_latency_ps(world.fabric, link));
  }
  return std::max<TimePs>(min_ps / 2, 1);
}

}  // namespace

std::vector<Part> random_cut(const World& world, u32 ranks, u64 seed) {
  const std::vector<u32> group = groups(world);
  std::map<u32, u32> rank_of_drawn;  // ranks without nodes leave no gap
  std::vector<u32> rank_of_node(group.size());
  for (u32 n = 0; n < group.size(); ++n) {
    const u32 drawn = static_cast<u32>(hash64(seed, Stream::state, group[n]) % ranks);
    rank_of_node[n] = rank_of_drawn.try_emplace(drawn, static_cast<u32>(rank_of_drawn.size())).first->second;
  }
  std::vector<Part> parts;
  for (u32 rank = 0; rank < rank_of_drawn.size(); ++rank) {
    parts.push_back({rank_of_node, rank, period_of(world, rank_of_node)});
  }
  return parts;
}

}  // namespace heddle::property
