#include "host/check/estimates/elsewhere.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle {
namespace {

// An H200: 80 us and 2 ns give each of the eight cases of tests/bench/PERFORMANCE.md within a factor of 2.3.
constexpr double kGpuTickS = 80e-6, kGpuHopS = 2e-9;

// tests/bench/scaling.md: instructions of a packet that crosses over those of a packet-hop, and microseconds that a
// message costs its sender and its receiver, and one step of the reduction.
constexpr double kCrossingHops = 0.25, kMessageS = 1e-6, kReductionStepS = 1e-6;

/// The ranks with which the busiest rank exchanges.
u32 most_neighbours(const Cut& cut) {
  std::vector<u32> neighbours(cut.ranks);
  for (const RankPair& pair : cut.pairs) ++neighbours[pair.a], ++neighbours[pair.b];
  return std::ranges::max(neighbours);
}

}  // namespace

double gpu_s(const RunTime& time, double packet_hops) { return time.ticks * kGpuTickS + packet_hops * kGpuHopS; }

double ranks_s(const RunTime& time, const Cut& cut, TimePs tick_ps) {
  const double compute_s = time.cpu_s / cut.ranks * cut.balance() * (1 + kCrossingHops * cut.cut_share());
  if (cut.cut_links == 0) return compute_s;
  const double exchanges = time.ticks * static_cast<double>(tick_ps) / static_cast<double>(cut.exchange.period_ps);
  const double each_s = most_neighbours(cut) * kMessageS + std::ceil(std::log2(cut.ranks)) * kReductionStepS;
  return compute_s + exchanges * each_s;
}

}  // namespace heddle
