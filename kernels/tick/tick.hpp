// One tick of one process, on one page (MODEL.md, 4.1).
//
//   1. switches   every switch that is due takes a pass over [from, to)
//   2. endpoints  every endpoint that is due takes a pass over [from, to)
//   3. publish    what others may read was written under the other parity; the caller flips it after the barrier
// Switches and endpoints need no order between them: each reads x[parity] and writes x[parity ^ 1].
#pragma once

#include "kernels/fabric/switch_pass.hpp"
#include "kernels/tick/endpoint_pass.hpp"

namespace heddle {

/// The stretch of time that a tick covers.
struct Tick {
  TimePs from = 0, to = 0;
  u32 parity = 0;
};

/// Whether `node` has something to do before tick.to. Takes note of what others told it.
HEDDLE_FN bool is_due(const View& v, u32 node, const Tick& tick) {
  const TimePs told = v.wake_ps[tick.parity][node];
  if (told != kNever) {
    v.wake_ps[tick.parity][node] = kNever;
    if (told < v.next_ps[node]) v.next_ps[node] = told;
    if (node < v.switches) {
      for (u32 w = v.first_port_word[node]; w < v.first_port_word[node + 1]; ++w) {
        v.port_active[w] |= v.port_wake[tick.parity][w];
        v.port_wake[tick.parity][w] = 0;
      }
    }
  }
  return v.next_ps[node] < tick.to;
}

/// The switches [node, end), by one team.
template <class Team>
HEDDLE_FN void tick_switches(const Team& team, const View& v, const SwitchScratch& scratch, u32 node, u32 end,
                             const Tick& tick) {
  SwitchPass<Team>(team, v, scratch, node, end, tick.parity).run(tick.from, tick.to);
}

/// One endpoint, by one lane of a team.
template <class Team>
HEDDLE_FN void tick_endpoint(const Team& team, const View& v, u32 endpoint, const Tick& tick) {
  EndpointPass<Team>(team, v, endpoint, tick.parity).run(tick.from, tick.to);
}

/// After the barrier, once: rings retired in this tick may be handed out again.
HEDDLE_FN void merge_retired_rings(const RingPool& pool, u32 size_class) {
  i32 free = pool.free_count[size_class] > 0 ? pool.free_count[size_class] : 0;
  const i32 retired = pool.retired_count[size_class];
  const u64 base = static_cast<u64>(size_class) * kFreeStackEntries;
  for (i32 i = 0; i < retired && i < static_cast<i32>(kFreeStackEntries) && free < static_cast<i32>(kFreeStackEntries);
       ++i) {
    pool.free_base[base + static_cast<u32>(free++)] = pool.retired_base[base + static_cast<u32>(i)];
  }
  pool.free_count[size_class] = free;
  pool.retired_count[size_class] = 0;
}

}  // namespace heddle
