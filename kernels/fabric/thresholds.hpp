// When the receiving end of a link pauses it: XOFF, XON and an account's share of the memory (MODEL.md, 6.2 to 6.4).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/link_schedule.hpp"
#include "kernels/state/emit.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The first sampling slot at or after t.
HEDDLE_FN TimePs first_slot_from(const View& v, TimePs t) {
  const TimePs slot_ps = TimePs{1} << v.settings.slot_log2;
  return (t + slot_ps - 1) & ~(slot_ps - 1);
}

/// XOFF of a dynamic profile, in held bytes, in an epoch at whose start the pool had `free_bytes`.
HEDDLE_FN u32 dynamic_xoff(const IngressProfile& profile, u64 free_bytes) {
  const u64 xoff = profile.reserve_bytes + ((profile.alpha_q16 * free_bytes) >> 16);
  return xoff > 0x7fffffff ? 0x7fffffffu : static_cast<u32>(xoff);
}

/// XOFF of an ingress now, in held bytes.
HEDDLE_FN u32 xoff_now(const View& v, const IngressPort& port) {
  const IngressProfile& profile = v.ingress_profile[port.profile];
  return profile.dynamic ? dynamic_xoff(profile, v.pool_state[port.pool].free_bytes) : profile.xoff_bytes;
}

/// Bytes of the shared memory that an account takes: beyond its reserve and outside its headroom.
HEDDLE_FN u64 shared_part_bytes(const IngressProfile& profile, const Account& account) {
  const bool in_headroom = account.pausing && account.level_at_pause_bytes < account.occupancy_bytes;
  const u32 held = in_headroom ? account.level_at_pause_bytes : account.occupancy_bytes;
  return held > profile.reserve_bytes ? held - profile.reserve_bytes : 0;
}

HEDDLE_FN u32 xon_now(const View& v, const IngressPort& port, u32 xoff_bytes) {
  const IngressProfile& profile = v.ingress_profile[port.profile];
  if (!profile.dynamic) return profile.xon_bytes;
  return xoff_bytes > 3072 ? xoff_bytes - 3072 : 0;
}

/// The most an account may hold before a lossless packet is an overrun.
HEDDLE_FN u64 account_limit_bytes(const View& v, const IngressPort& port, const Account& account) {
  const u32 xoff = account.pausing ? account.level_at_pause_bytes : xoff_now(v, port);
  return static_cast<u64>(xoff) + v.ingress_profile[port.profile].headroom_bytes;
}

/// The free memory of a pool now.
HEDDLE_FN u64 free_bytes_of(const View& v, u32 pool) {
  const u64 shared = v.pool_limits[pool].shared_bytes, used = v.pool_state[pool].shared_used_bytes;
  return shared > used ? shared - used : 0;
}

/// Samples the free memory of a pool at the start of the epoch that `from` is in, once per epoch.
HEDDLE_FN void begin_epoch(const View& v, u32 pool, TimePs from) {
  PoolState& state = v.pool_state[pool];
  const TimePs epoch = from / v.settings.epoch_ps;
  if (state.epoch == epoch) return;
  state.epoch = epoch;
  state.free_bytes = free_bytes_of(v, pool);
}

/// XOFF of an ingress in the epoch of `from`, which may not have begun for its pool.
HEDDLE_FN u32 xoff_from(const View& v, const IngressPort& port, TimePs from) {
  const IngressProfile& profile = v.ingress_profile[port.profile];
  if (!profile.dynamic) return profile.xoff_bytes;
  const PoolState& state = v.pool_state[port.pool];
  const bool begun = state.epoch == from / v.settings.epoch_ps;
  return dynamic_xoff(profile, begun ? state.free_bytes : free_bytes_of(v, port.pool));
}

/// Sends a pause or resume to the source of the link into the port of egress `own`.
HEDDLE_FN void send_pause_change(const View& v, u32 own, u32 pfc_index, TimePs effect_ps, bool pause, u32 out_parity) {
  const IngressPort& port = v.ingress[own];
  const Egress& egress = v.egress[own];
  u32& tail = v.pause_tail[out_parity][egress.reverse * v.settings.pfc_classes + pfc_index];
  u64* changes = v.pause_change + port.pause_first + static_cast<u64>(pfc_index) * (port.pause_mask + 1);
  changes[tail & port.pause_mask] = (static_cast<u64>(effect_ps) << 1) | (pause ? 1 : 0);
  ++tail;
  wake(v, egress.dst_node, egress.dst_port, out_parity, effect_ps);
}

/// When a pause change for the source of the link into the port of egress `own` takes effect, if `effect_ps` were its
/// time: PFC frames stay in order also where the link has become faster since the last one. kNever: the frame is lost.
HEDDLE_RARE_FN TimePs effect_where_links_fail(const View& v, u32 own, u32 pfc_index, TimePs effect_ps) {
  TimePs& latest = v.failing.pause_effect_ps[own * v.settings.pfc_classes + pfc_index];
  if (effect_ps < latest) effect_ps = latest;
  if (goes_down_before(v, own, effect_ps + 1)) return kNever;
  return latest = effect_ps;
}

/// The slot rule at slot t for the account of ingress port `port` (own egress link `own`); `busy_until` gives the end
/// of the packet that the own egress is sending at t, or t. Publishes a change under `out_parity`.
template <class Team, class BusyUntil>
HEDDLE_FN void sample_slot(const Team& team, const View& v, u32 own, u32 pfc_index, Account& account, TimePs t,
                           u32 out_parity, const BusyUntil& busy_until) {
  if (links_fail<Team>(v.settings) && is_down(v, own)) return;
  const IngressPort& port = v.ingress[own];
  const u32 xoff = xoff_now(v, port);
  const bool pause = !account.pausing && account.occupancy_bytes > 0 && account.occupancy_bytes >= xoff;
  const bool resume = account.pausing && account.occupancy_bytes <= account.level_at_pause_bytes &&
                      (account.occupancy_bytes <= v.ingress_profile[port.profile].reserve_bytes ||
                       account.occupancy_bytes <= xon_now(v, port, xoff));
  if (!pause && !resume) return;
  account.pausing = pause;
  v.link_tally[own].pauses += pause ? 1u : 0u;
  if (pause) account.level_at_pause_bytes = account.occupancy_bytes;  // at least XOFF: headroom counts from here
  const Egress& egress = v.egress[own];
  TimePs effect = busy_until(t) + ser_ps(kPauseWireBytes, egress.ps_per_byte_q16) + port.phi_ps;
  if (links_fail<Team>(v.settings)) effect = effect_where_links_fail(v, own, pfc_index, effect);
  if (effect != kNever) send_pause_change(v, own, pfc_index, effect, pause, out_parity);
  const u32 node = v.link_node[own];
  emit(team, v,
       {t, 0, v.node_id[node], static_cast<u16>(own - v.first_link[node]),
        static_cast<u8>(v.settings.pfc_class[pfc_index]), pause ? EventKind::pause : EventKind::resume, 0});
}

}  // namespace heddle
