// The steps of a tick by ports on a GPU (ports/README.md), one kernel each.
#pragma once

#include <vector>

#include "kernels/backends/gpu/copies.cuh"
#include "kernels/backends/gpu/ticks.cuh"
#include "kernels/tick/by_ports.hpp"

namespace heddle {

/// Threads of a block, which has a word of 64 ports, or a part of a switch (ServedPart).
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

/// Step 2 of a part of a switch.
static __global__ void __launch_bounds__(kPortThreads, kPortBlocks)
    run_ports(const __grid_constant__ View v, const __grid_constant__ PortTeams teams, Clock* clock, Tally* tallies,
              EventBuffer events) {
  HEDDLE_DYNAMIC_SHARED(shared);
  __shared__ u32 warp_sums[32];
  __shared__ ScratchOf<PlainBlock> scratch;
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const ServedPart part = teams.part[blockIdx.x];
  const u32 node = part.node;
  const PlainBlock team(tallies + blockIdx.x, events, warp_sums);
  const bool by_ports = teams.bins.goes_by_ports(node, tick.parity);
  if (part.first == 0) {
    team.each(1, [&](u32) { receive_wake_time(v, node, tick.parity); });
    if (by_ports) begin_ports(team, v, node, tick);
  }
  if (!by_ports) return;
  if (threadIdx.x == 0) {
    scratch.lay_out(shared, kServedPorts, kPlainClasses, 1, 1, kServedPackets);
    scratch.phases = teams.phases;
  }
  __syncthreads();
  ServedPorts<PlainBlock>(team, v, teams.bins, scratch, part, tick.parity).run(tick.from, tick.to);
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

/// The bins of a run, the switch of each word of ports, and the parts of switches, on the device.
class PortTeamMemory {
 public:
  PortTeamMemory() = default;
  PortTeamMemory(const View& host, bool phases, const Copies& copies) {
    std::vector<u32> word_node;
    std::vector<ServedPart> parts;
    for (u32 node = 0; node < host.switches; ++node) {
      word_node.resize(host.first_port_word[node + 1], node);
      for_served_parts(host, node, [&](const ServedPart& part) { parts.push_back(part); });
    }
    words_ = static_cast<u32>(word_node.size());
    parts_ = static_cast<u32>(parts.size());
    teams_.word_node = put(word_node, copies);
    teams_.part = put(parts, copies);
    teams_.phases = phases;
    teams_.bins = make_bins(host, kBinPackets, [&]<class T>(T*& array, u64 entries) {
      memory_.emplace_back(entries * sizeof(T));
      copies.clear(memory_.back().get(), entries * sizeof(T), "the bins");
      array = memory_.back().get<T>();
    });
  }
  const PortTeams& teams() const { return teams_; }
  u32 words() const { return words_; }
  u32 parts() const { return parts_; }

 private:
  template <class T>
  const T* put(const std::vector<T>& list, const Copies& copies) {
    memory_.emplace_back(list.size() * sizeof(T));
    copies.upload(memory_.back().get(), list.data(), list.size() * sizeof(T), "the parts of switches");
    return memory_.back().get<T>();
  }

  PortTeams teams_;
  u32 words_ = 0, parts_ = 0;
  std::vector<DeviceMemory> memory_;
};

}  // namespace heddle
