// The steps of a tick by ports on a GPU (ports/README.md), one kernel each.
#pragma once

#include <vector>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/backends/gpu/ticks.cuh"
#include "kernels/tick/by_ports.hpp"

namespace heddle {

/// Threads of a block, which has a word of 64 ports, or half of one.
inline constexpr u32 kPortThreads = 64;
inline constexpr u32 kWordPorts = 64;
/// Minimum number of these blocks on one multiprocessor: 64 registers for each thread.
inline constexpr u32 kPortBlocks = 16;
/// Arrivals that a block serves at once (ports/README.md); more take turns.
inline constexpr u32 kServedPackets = 288;

inline u64 arrival_scratch_bytes() { return SwitchScratch::bytes(kWordPorts, kPlainClasses, 1, 1, 1) + 64; }
inline u64 served_scratch_bytes() {
  return SwitchScratch::bytes(kServedPorts, kPlainClasses, 1, 1, kServedPackets) + 64;
}

/// Step 1 of a word of ports.
static __global__ void __launch_bounds__(kPortThreads, kPortBlocks)
    run_arrivals(const __grid_constant__ View v, const __grid_constant__ PortTeams teams, Clock* clock, Tally* tallies,
                 EventBuffer events) {
  HEDDLE_DYNAMIC_SHARED(shared);
  __shared__ u32 warp_sums[32];
  __shared__ ScratchOf<PlainBlock> scratch;
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const u32 word = blockIdx.x, node = teams.word_node[word];
  const PlainBlock team(tallies + blockIdx.x, events, warp_sums);
  const bool updated = (v.port_updates[tick.parity][word] | v.port_published[word]) != 0;
  __syncthreads();  // all lanes have seen them
  if (updated) receive_port_updates(team, v, word, 1, tick);
  if (v.port_active[word] == 0) return;
  if (threadIdx.x == 0) scratch.lay_out(shared, kWordPorts, kPlainClasses, 1, 1, 1);
  __syncthreads();
  scratch.blank(team);
  BinnedArrivals<PlainBlock>(team, v, teams.bins, scratch, node, word, tick.parity).run(tick.from, tick.to);
}

/// Step 2 of half a word of ports.
static __global__ void __launch_bounds__(kPortThreads, kPortBlocks)
    run_ports(const __grid_constant__ View v, const __grid_constant__ PortTeams teams, Clock* clock, Tally* tallies,
              EventBuffer events) {
  HEDDLE_DYNAMIC_SHARED(shared);
  __shared__ u32 warp_sums[32];
  __shared__ ScratchOf<PlainBlock> scratch;
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const u32 word = blockIdx.x / 2, half = blockIdx.x % 2, node = teams.word_node[word];
  const PlainBlock team(tallies + blockIdx.x, events, warp_sums);
  const bool by_ports = teams.bins.goes_by_ports(node, tick.parity);
  if (half == 0 && word == v.first_port_word[node]) {
    team.each(1, [&](u32) { receive_wake_time(v, node, tick.parity); });
    if (by_ports) begin_ports(team, v, node, tick);
  }
  const u32 ports = v.first_link[node + 1] - v.first_link[node];
  const u32 first = v.port_word_link[word] - v.first_link[node] + half * kServedPorts;
  if (!by_ports || first >= ports) return;
  if (threadIdx.x == 0) {
    scratch.lay_out(shared, kServedPorts, kPlainClasses, 1, 1, kServedPackets);
    scratch.phases = teams.phases;
  }
  __syncthreads();
  const u32 end = min(first + kServedPorts, ports);
  ServedPorts<PlainBlock>(team, v, teams.bins, scratch, node, first, end, tick.parity).run(tick.from, tick.to);
}

/// Step 3 of a word of ports.
static __global__ void __launch_bounds__(kPortThreads, kPortBlocks)
    run_settling(const __grid_constant__ View v, const __grid_constant__ PortTeams teams, Clock* clock, Tally* tallies,
                 EventBuffer events) {
  __shared__ u32 warp_sums[32];
  __shared__ TimePs next;
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const u32 word = blockIdx.x, node = teams.word_node[word];
  const PlainBlock team(tallies + blockIdx.x, events, warp_sums);
  const u32 status = teams.bins.status_of(node, tick.parity);
  const bool first = word == v.first_port_word[node];
  if (first) team.each(1, [&](u32) { teams.bins.forget(v, node, tick.parity ^ 1); });
  const SettledPorts<PlainBlock> ports(team, v, teams.bins, node, word, tick.parity);
  if (status == 0) {
    if (first && threadIdx.x == 0) global_min(clock->next_ps, v.next_ps[node]);
  } else if (!teams.bins.goes_by_ports(node, tick.parity)) {
    ports.empty_all();
  } else {
    team.each(1, [&](u32) { next = kNever; });
    ports.run(tick.to, next);
    if (threadIdx.x != 0) return;
    global_min(v.next_ps[node], next);
    global_min(clock->next_ps, v.port_published[word] != 0 ? tick.to : next);  // updates are received in the next tick
  }
}

/// The bins of a run, and the switch of each word of ports, on the device.
class PortTeamMemory {
 public:
  PortTeamMemory() = default;
  PortTeamMemory(const View& host, bool phases, const Copies& copies) {
    std::vector<u32> word_node;
    for (u32 node = 0; node < host.switches; ++node) word_node.resize(host.first_port_word[node + 1], node);
    words_ = static_cast<u32>(word_node.size());
    memory_.emplace_back(words_ * sizeof(u32));
    copies.upload(memory_.back().get(), word_node.data(), words_ * sizeof(u32), "the switches of ports");
    teams_.word_node = memory_.back().get<u32>();
    teams_.phases = phases;
    teams_.bins = make_bins(host, kBinPackets, [&]<class T>(T*& array, u64 entries) {
      memory_.emplace_back(entries * sizeof(T));
      copies.clear(memory_.back().get(), entries * sizeof(T), "the bins");
      array = memory_.back().get<T>();
    });
  }
  const PortTeams& teams() const { return teams_; }
  u32 words() const { return words_; }

 private:
  PortTeams teams_;
  u32 words_ = 0;
  std::vector<DeviceMemory> memory_;
};

}  // namespace heddle
