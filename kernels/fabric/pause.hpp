// Pauses as the sending end of a link sees them, and as the receiving end decides them (README, section 6).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/observe/emit.hpp"
#include "kernels/state.hpp"

namespace heddle {

/// Walks the pause changes of one (link, class) forward in time, on behalf of the link's source.
class PauseTimeline {
 public:
  HEDDLE_FN PauseTimeline(const View& v, u32 link, u32 pfc_index, u32 parity)
      : reader_(v.pause_reader[link * v.settings.pfc_classes + pfc_index]) {
    const u32 other_end = v.egress[link].reverse;  // the receiving node keeps the account under its own egress
    const IngressPort& port = v.ingress[other_end];
    mask_ = port.pause_mask;
    changes_ = v.pause_change + port.pause_first + static_cast<u64>(pfc_index) * (mask_ + 1);
    tail_ = v.pause_tail[parity][link * v.settings.pfc_classes + pfc_index];
  }

  /// Nothing to consider: not paused and no change on its way.
  HEDDLE_FN bool idle() const { return reader_.head == tail_ && reader_.paused == 0; }

  HEDDLE_FN bool paused() const { return reader_.paused != 0; }

  /// The earliest instant >= at and < to at which the class may start, or to. `at` never goes back.
  HEDDLE_FN TimePs allowed_from(TimePs at, TimePs to) {
    consume_up_to(at);
    if (!reader_.paused) return at;
    bool paused = true;
    for (u32 i = reader_.head; paused;) {
      if (i == tail_ || time_of(i) >= to) return to;
      at = time_of(i);
      while (i != tail_ && time_of(i) <= at) paused = pauses(i++);
    }
    return at;
  }

  /// Applies every change that takes effect at or before `at`.
  HEDDLE_FN void consume_up_to(TimePs at) {
    while (reader_.head != tail_ && time_of(reader_.head) <= at) {
      const TimePs when = time_of(reader_.head);
      const bool pause = pauses(reader_.head++);
      if (pause == (reader_.paused != 0)) continue;
      if (pause) reader_.since_ps = when;
      if (!pause) reader_.total_ps += static_cast<u64>(when - reader_.since_ps);
      reader_.paused = pause ? kPaused : 0;
    }
  }

  /// When the next change takes effect, or kNever.
  HEDDLE_FN TimePs next_change_ps() const { return reader_.head == tail_ ? kNever : time_of(reader_.head); }

 private:
  HEDDLE_FN TimePs time_of(u32 i) const { return static_cast<TimePs>(changes_[i & mask_] >> 1); }
  HEDDLE_FN bool pauses(u32 i) const { return changes_[i & mask_] & 1; }

  PauseReader& reader_;
  const u64* changes_;
  u32 mask_;
  u32 tail_;
};

/// The first sampling slot at or after t.
HEDDLE_FN TimePs first_slot_from(const View& v, TimePs t) {
  const TimePs slot_ps = TimePs{1} << v.settings.slot_log2;
  return (t + slot_ps - 1) & ~(slot_ps - 1);
}

/// XOFF of an ingress now, in held bytes.
HEDDLE_FN u32 xoff_now(const View& v, const IngressPort& port) {
  const IngressProfile& profile = v.ingress_profile[port.profile];
  if (!profile.dynamic) return profile.xoff_bytes;
  const u64 xoff = profile.reserve_bytes + ((profile.alpha_q16 * v.pool_state[port.pool].free_bytes) >> 16);
  return xoff > 0x7fffffff ? 0x7fffffffu : static_cast<u32>(xoff);
}

/// What an account takes of the shared memory: neither its reserve nor what lies in its headroom.
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

/// Takes the free memory of a pool at the start of the epoch that `from` lies in, once per epoch.
HEDDLE_FN void begin_epoch(const View& v, u32 pool, TimePs from) {
  PoolState& state = v.pool_state[pool];
  const TimePs epoch = from / v.settings.epoch_ps;
  if (state.epoch == epoch) return;
  state.epoch = epoch;
  const u64 shared = v.pool_limits[pool].shared_bytes;
  state.free_bytes = shared > state.shared_used_bytes ? shared - state.shared_used_bytes : 0;
}

/// The slot rule at slot t for the account of ingress port `port` (own egress link `own`); `busy_until` gives the end
/// of the packet that the own egress is sending at t, or t. Publishes a change under `out_parity`.
template <class Team, class BusyUntil>
HEDDLE_FN void sample_slot(const Team& team, const View& v, u32 own, u32 pfc_index, Account& account, TimePs t,
                           u32 out_parity, const BusyUntil& busy_until) {
  const IngressPort& port = v.ingress[own];
  const u32 xoff = xoff_now(v, port);
  const bool pause = !account.pausing && account.occupancy_bytes > 0 && account.occupancy_bytes >= xoff;
  const bool resume = account.pausing && account.occupancy_bytes <= account.level_at_pause_bytes &&
                      (account.occupancy_bytes <= v.ingress_profile[port.profile].reserve_bytes ||
                       account.occupancy_bytes <= xon_now(v, port, xoff));
  if (!pause && !resume) return;
  account.pausing = pause;
  if (pause) account.level_at_pause_bytes = account.occupancy_bytes;  // not below XOFF: headroom counts from here
  const Egress& egress = v.egress[own];
  const TimePs effect = busy_until(t) + ser_ps(kPauseWireBytes, egress.ps_per_byte_q16) + port.phi_ps;
  const u32 incoming = egress.reverse;
  u32& tail = v.pause_tail[out_parity][incoming * v.settings.pfc_classes + pfc_index];
  u64* changes = v.pause_change + port.pause_first + static_cast<u64>(pfc_index) * (port.pause_mask + 1);
  changes[tail & port.pause_mask] = (static_cast<u64>(effect) << 1) | (pause ? 1 : 0);
  ++tail;
  wake(v, egress.dst_node, egress.dst_port, out_parity, effect);
  const u32 node = v.link_node[own];
  emit(team, v,
       {t, 0, v.node_id[node], static_cast<u16>(own - v.first_link[node]),
        static_cast<u8>(v.settings.pfc_class[pfc_index]), pause ? EventKind::pause : EventKind::resume, 0});
}

}  // namespace heddle
