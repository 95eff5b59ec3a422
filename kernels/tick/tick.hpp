// One tick of one process, on one page (MODEL.md, 4.1).
//
//   1. switches   every switch receives updates; each due switch runs a pass over [from, to)
//   2. endpoints  every endpoint receives updates; each due endpoint runs a pass over [from, to)
//   3. publish    the passes wrote shared state under the other parity; the caller flips it after the barrier
// Switches and endpoints may run in any order: each reads x[parity] and writes x[parity ^ 1].
#pragma once

#include "kernels/fabric/switch_pass.hpp"
#include "kernels/tick/endpoint_pass.hpp"
#include "kernels/tick/plain_pass.hpp"
#include "kernels/tick/updates.hpp"

namespace heddle {

/// Runs the switches [node, end) by one team. Returns whether it has published anything for the next tick.
template <class Team>
HEDDLE_FN bool tick_switches(const Team& team, const View& v, const ScratchOf<Team>& scratch, u32 node, u32 end,
                             const Tick& tick) {
  return SwitchPass<Team>(team, v, scratch, node, end, tick.parity).run(tick.from, tick.to);
}

/// Runs one endpoint by one lane of a team. Returns whether it has published anything for the next tick.
template <class Team>
HEDDLE_FN bool tick_endpoint(const Team& team, const View& v, u32 endpoint, const Tick& tick) {
  const NicContext<Team> context(team, v, endpoint, tick.parity);
  const SenderSide<Team> senders(context);
  const ReceiverSide<Team> receivers(context, senders);
  CollectiveScheduler<Team> scheduler(context, senders);
  if constexpr (Team::kPlain) {
    TimePs arrival_ps[kPlainClasses] = {};
    return PlainPass<Team>(context, senders, receivers, scheduler, arrival_ps).run(tick.from, tick.to);
  } else {
    SlowBuffer<Team> slow(context);
    PortArrivals arrivals;
    return EndpointPass<Team>(context, senders, receivers, scheduler, slow, arrivals).run(tick.from, tick.to);
  }
}

}  // namespace heddle
