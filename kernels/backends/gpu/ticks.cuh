// One tick on a GPU: the kernels, and the clock that lives in device memory.
#pragma once

#include "kernels/backends/backend.hpp"
#include "kernels/backends/gpu/launch_parameters.hpp"
#include "kernels/backends/gpu/teams.cuh"
#include "kernels/state/retired_rings.hpp"
#include "kernels/team/block.cuh"
#include "kernels/tick/tick.hpp"

namespace heddle {

/// The clock on the device.
struct Clock {
  Tick tick;
  TimePs tick_ps = 0, until = 0;
  TimePs next_ps = kNever;  // minimum over all nodes after this tick
  u64 ticks = 0;
  u64 events_high_water = 0;
  u32 stop = 0;
};

/// Threads of the clock kernel, which also moves retired rings: some ten thousand in a tick at most.
inline constexpr u32 kClockThreads = 256;
/// Minimum number of blocks of run_switches on one multiprocessor.
inline constexpr u32 kSwitchBlocks = 2;
/// Minimum number of blocks of run_endpoints on one multiprocessor. Without it the compiler may make room for 9 by
/// spilling, although 24,576 endpoints are only two blocks for each of 132 multiprocessors.
inline constexpr u32 kEndpointBlocks = 4;

inline __device__ bool over(const Clock& clock) { return clock.stop != 0 || clock.tick.from >= clock.until; }

/// `Team` is Block, or PlainBlock for plain runs. `max_threads` bounds a block: kMaxSwitchThreads leave 80 registers
/// to each thread, kMaxRoomyThreads 128. In ticks by ports only the switches that go the general way run.
template <class Team, u32 max_threads>
static __global__ void __launch_bounds__(max_threads, kSwitchBlocks)
    run_switches(const __grid_constant__ View v, Teams teams, const __grid_constant__ Bins bins, Clock* clock,
                 Tally* tallies, EventBuffer events) {
  HEDDLE_DYNAMIC_SHARED(shared);
  __shared__ u32 warp_sums[32];
  __shared__ SwitchUpdates updates;
  __shared__ ScratchOf<Team> scratch;  // the same for all lanes: in shared memory it takes no registers, and no stack
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const u32 first = teams.runs[blockIdx.x].first, last = teams.runs[blockIdx.x].end;
  const Team team(tallies + blockIdx.x, events, warp_sums);
  void* memory = shared;
  if (!Team::kScratchIsShared && teams.slab != nullptr) memory = teams.slab + blockIdx.x * teams.scratch_bytes;
  const bool by_ports = Team::kPlain && bins.present();
  TimePs next = kNever;
  for (u32 node = first, end; node < last; node = end) {
    end = by_ports ? node + 1 : last;
    if (by_ports && !bins.goes_general(node, tick.parity)) continue;
    bool happened = false;
    if (by_ports || receive_switch_updates(team, v, node, end, tick, updates)) {
      if (threadIdx.x == 0) {
        scratch.lay_out(memory, v.first_link[end] - v.first_link[node], v.settings.classes, v.settings.pfc_classes,
                        teams.bins, teams.packets);
        scratch.phases = teams.phases;
      }
      __syncthreads();
      scratch.blank(team);
      happened = tick_switches(team, v, scratch, node, end, tick);
    }
    if (happened) next = tick.to;  // updates are received in the next tick
    for (u32 n = node; n < end; ++n) next = min(next, v.next_ps[n]);
    if (by_ports) __syncthreads();  // the scratch is laid out anew
  }
  if (threadIdx.x == 0) global_min(clock->next_ps, next);
}

template <class Team>
static __global__ void __launch_bounds__(kMaxEndpointThreads, kEndpointBlocks)
    run_endpoints(const __grid_constant__ View v, u32 lanes, Clock* clock, Tally* tallies, EventBuffer events) {
  __shared__ u32 warp_sums[32];
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const Team team(tallies + blockIdx.x, events, warp_sums);
  __shared__ TimePs next;
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, e = warp * lanes + lane;
  if (threadIdx.x == 0) next = kNever;
  __syncthreads();
  const bool mine = lane < lanes && e < v.endpoints;
  if (mine) {
    u32& updates = v.endpoint_updates[tick.parity][e / kEndpointsPerWord];
    const u32 bit = 1u << (e % kEndpointsPerWord);
    if ((global_load(updates) & bit) != 0) {
      global_and(updates, ~bit);  // other endpoints of the word may be in another block
      receive_endpoint_updates<Team>(v, e, tick.parity);
    }
  }
  const bool due = mine && v.next_ps[v.switches + e] < tick.to;
  team.begin(due);
  const bool happened = due && tick_endpoint(team, v, e, tick);
  if (mine) global_min(next, happened ? tick.to : v.next_ps[v.switches + e]);  // updates are received in the next tick
  __syncthreads();
  if (threadIdx.x == 0) global_min(clock->next_ps, next);
}

static __global__ void __launch_bounds__(kClockThreads)
    run_clock(const __grid_constant__ View v, Clock* clock, EventBuffer events) {
  __shared__ u32 warp_sums[32], first[kRingClasses + 1];
  if (over(*clock)) return;
  if (__syncthreads_or(threadIdx.x < kRingClasses && any_retired(v.pool, threadIdx.x)))
    merge_retired_rings(Block(nullptr, {}, warp_sums), v.pool, first);
  if (threadIdx.x != 0) return;
  ++clock->ticks;
  if (*v.pool.exhausted != 0) {
    clock->tick = stopped_in(clock->tick);
    clock->stop = 1;
    return;
  }
  clock->tick = next_tick(clock->tick, clock->next_ps, clock->tick_ps, clock->until);
  clock->tick.to = tick_end(clock->tick.from, clock->tick_ps, clock->until);
  clock->next_ps = kNever;
  if (v.failure->kind == kFailureNew || *events.count > clock->events_high_water) clock->stop = 1;
}

}  // namespace heddle
