// One tick of one process, on one page (MODEL.md, 4.1).
//
//   1. switches   every switch hears the news; each that is due takes a pass over [from, to)
//   2. endpoints  every endpoint hears the news; each that is due takes a pass over [from, to)
//   3. publish    what others may read was written under the other parity; the caller flips it after the barrier
// Switches and endpoints need no order between them: each reads x[parity] and writes x[parity ^ 1].
#pragma once

#include "kernels/fabric/switch_pass.hpp"
#include "kernels/tick/endpoint_pass.hpp"
#include "kernels/tick/news.hpp"

namespace heddle {

/// The switches [node, end), by one team. Returns whether there is something to hear in the next tick.
template <class Team>
HEDDLE_FN bool tick_switches(const Team& team, const View& v, const SwitchScratch& scratch, u32 node, u32 end,
                             const Tick& tick) {
  return SwitchPass<Team>(team, v, scratch, node, end, tick.parity).run(tick.from, tick.to);
}

/// One endpoint, by one lane of a team. Returns whether there is something to hear in the next tick.
template <class Team>
HEDDLE_FN bool tick_endpoint(const Team& team, const View& v, u32 endpoint, const Tick& tick) {
  const Site<Team> site(team, v, endpoint, tick.parity);
  const SenderSide<Team> senders(site);
  const ReceiverSide<Team> receivers(site, senders);
  Library<Team> library(site, senders);
  SlowBuffer<Team> slow(site);
  TimePs arrival_ps[kMaxClasses] = {kNever, kNever, kNever, kNever};
  return EndpointPass<Team>(site, senders, receivers, library, slow, arrival_ps).run(tick.from, tick.to);
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
