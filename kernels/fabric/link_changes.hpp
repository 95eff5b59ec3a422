// Links go down, slow down, lose bits and recover, at the instants of their schedule (MODEL.md, 4.3, 5.8, 6.9).
#pragma once

#include "kernels/fabric/link_schedule.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/watchdog.hpp"

namespace heddle {

/// Applies the change of `link` at t, which must be its next. Returns whether the link goes down.
template <class Team>
HEDDLE_RARE_FN bool take_change(const Team& team, const View& v, u32 link, TimePs t) {
  Egress& egress = v.egress[link];
  LinkCondition& condition = v.failing.link[link];
  const LinkState& state = v.failing.change[condition.next++].state;
  if (egress.free_ps > t && egress.free_ps != condition.sent_until_ps) {
    condition.sent_until_ps = egress.free_ps;
    condition.sent_ps_per_byte_q16 = egress.ps_per_byte_q16;
  }
  const bool goes_down = egress.ps_per_byte_q16 != 0 && state.ps_per_byte_q16 == 0;
  egress.ps_per_byte_q16 = state.ps_per_byte_q16;
  condition.loss_q64 = state.loss_q64;
  const u32 node = v.link_node[link];
  emit(team, v,
       {t, (u64{state.ps_per_byte_q16} << 32) | (state.loss_q64 >> 32), v.node_id[node],
        static_cast<u16>(link - v.first_link[node]), 0, EventKind::failure, 0});
  return goes_down;
}

/// The cable of egress `link` has gone down at t: ends the pauses in both directions.
HEDDLE_RARE_FN void forget_pauses(const View& v, u32 link, TimePs t, u32 parity) {
  const IngressPort& port = v.ingress[link];
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    PauseTimeline(v, link, p, parity).end_at(t);
    if (port.profile == kNone) continue;
    Account& account = v.account[link * v.settings.pfc_classes + p];
    const IngressProfile& profile = v.ingress_profile[port.profile];
    const u64 shared_before = shared_part_bytes(profile, account);
    account.pausing = 0;
    if (port.pool != kNone)
      v.pool_state[port.pool].shared_used_bytes += shared_part_bytes(profile, account) - shared_before;
  }
}

/// Applies all changes of a switch at t. Returns whether any of its links changes.
template <class Team, class OnChange>
HEDDLE_FN bool change_switch(const Team& team, const View& v, u32 node, TimePs t, u32 parity, const OnChange& changed) {
  SwitchProgress& progress = v.failing.progress[node];
  while (progress.routes != v.failing.first_routes[node + 1] && v.failing.routes[progress.routes].from_ps <= t)
    v.route_row[node] = v.failing.routes[progress.routes++].row;
  if (progress.change == v.failing.first_instant[node + 1] || v.failing.instant[progress.change] != t) return false;
  ++progress.change;
  for (u32 link = v.first_link[node]; link < v.first_link[node + 1]; ++link) {
    if (next_change_ps(v, link) != t) continue;
    changed(link);
    if (!take_change(team, v, link, t)) continue;
    for (u32 c = 0; c < v.settings.classes; ++c) empty_queue(team, v, link, c, DropCause::link_down, t);
    forget_pauses(v, link, t, parity);
  }
  return true;
}

/// When a link of the switch changes next, or kNever.
HEDDLE_FN TimePs next_switch_change_ps(const View& v, u32 node) {
  const u32 next = v.failing.progress[node].change;
  return next == v.failing.first_instant[node + 1] ? kNever : v.failing.instant[next];
}

/// When a link or route of the switch changes next, or kNever.
HEDDLE_FN TimePs next_switch_instant_ps(const View& v, u32 node) {
  const TimePs change_ps = next_switch_change_ps(v, node);
  const u32 next = v.failing.progress[node].routes;
  const TimePs routes_ps = next == v.failing.first_routes[node + 1] ? kNever : v.failing.routes[next].from_ps;
  return routes_ps < change_ps ? routes_ps : change_ps;
}

}  // namespace heddle
