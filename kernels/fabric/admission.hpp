// Whether a packet still fits into a node's memory, and how much memory it then occupies (MODEL.md, 1.3 and 5.4 to
// 5.6). Lossless packets are charged to their ingress, at a switch and at a slow NIC alike: `own` is the egress link of
// the port at which the packet arrives. Packets of a class with a dynamic limit are charged to the egress port.
#pragma once

#include "kernels/fabric/thresholds.hpp"
#include "kernels/state/emit.hpp"

namespace heddle {

/// Bytes that a packet occupies at the source node of `link`.
HEDDLE_FN u32 held_at(const View& v, u32 link, const Packet& packet) {
  return held_bytes(packet.frame_bytes(), v.egress[link].cell_bytes);
}

/// Charges a packet that came in class c to its account and pool, or releases it. Does nothing for classes and ports
/// without PFC.
HEDDLE_FN void charge_ingress(const View& v, u32 own, const Packet& packet, u32 c, bool arrives) {
  const u32 pfc = v.settings.pfc_index[c];
  const IngressPort& port = v.ingress[own];
  if (pfc == kNone || port.profile == kNone) return;
  const u64 held = held_at(v, own, packet);
  const u64 by = arrives ? held : u64{0} - held;
  Account& account = v.account[own * v.settings.pfc_classes + pfc];
  const IngressProfile& profile = v.ingress_profile[port.profile];
  const u64 shared_before = shared_part_bytes(profile, account);
  account.occupancy_bytes += static_cast<u32>(by);
  if (port.pool == kNone) return;
  v.pool_state[port.pool].used_bytes += by;
  v.pool_state[port.pool].shared_used_bytes += shared_part_bytes(profile, account) - shared_before;
}

/// Whether the queue (link, c) has a limit that follows the free memory.
HEDDLE_FN bool limit_is_dynamic(const View& v, u32 link, u32 c) {
  return ((v.settings.dynamic_limit_mask >> c) & 1) && v.ingress[link].pool != kNone;
}

/// Charges `held` bytes of queue (link, c) to the pool, or releases them (negative), when its limit is dynamic.
HEDDLE_FN void charge_egress(const View& v, u32 link, u32 c, i64 held) {
  if (!limit_is_dynamic(v, link, c)) return;
  PoolState& pool = v.pool_state[v.ingress[link].pool];
  pool.used_bytes += static_cast<u64>(held);
  pool.shared_used_bytes += static_cast<u64>(held);
}

/// Bytes that queue (link, c) has admitted since the epoch start; the pool's epoch must have begun.
HEDDLE_FN u64 admitted_bytes(const View& v, u32 link, u32 c) {
  const Admitted& admitted = v.admitted[link * v.settings.classes + c];
  return admitted.epoch == v.pool_state[v.ingress[link].pool].epoch ? admitted.bytes : 0;
}

HEDDLE_FN void note_admitted(const View& v, u32 link, u32 c, u64 held) {
  if (!limit_is_dynamic(v, link, c)) return;
  const u64 before = admitted_bytes(v, link, c);
  v.admitted[link * v.settings.classes + c] = {v.pool_state[v.ingress[link].pool].epoch, before + held};
}

/// The most that queue (link, c) of a limited class may hold once it has admitted `more` additional bytes.
HEDDLE_FN u64 queue_limit_bytes(const View& v, u32 link, u32 c, u64 more) {
  const u64 limit = v.settings.limit_bytes[c] != 0 ? v.settings.limit_bytes[c] : ~u64{0};
  if (!limit_is_dynamic(v, link, c)) return limit;
  const u64 free = v.pool_state[v.ingress[link].pool].free_bytes;
  const u64 admitted = admitted_bytes(v, link, c) + more;
  const u64 share = (v.settings.limit_alpha_q16[c] * (free > admitted ? free - admitted : 0)) >> 16;
  return share < limit ? share : limit;
}

/// Whether an arrival of `held` bytes would exceed the limit of queue (link, c), or the shared memory of its pool.
HEDDLE_FN bool exceeds_queue_limit(const View& v, u32 link, u32 c, u32 held) {
  if (!((v.settings.limited_mask >> c) & 1)) return false;
  if (v.queue[link * v.settings.classes + c].bytes + held > queue_limit_bytes(v, link, c, 0)) return true;
  const u32 pool = v.ingress[link].pool;
  return limit_is_dynamic(v, link, c) && v.pool_state[pool].shared_used_bytes + held > v.pool_limits[pool].shared_bytes;
}

/// Counts and reports the loss of `packet` at t; the event names the port of `at_link`.
template <class Team>
HEDDLE_FN void drop_packet(const Team& team, const View& v, u32 at_link, const Packet& packet, DropCause cause,
                           TimePs t) {
  LinkTally& tally = v.link_tally[at_link];
  team.add(tally.drops, 1u);
  const bool on_arrival =
      cause == DropCause::headroom_overrun || cause == DropCause::pool_overflow || cause == DropCause::no_route;
  if (on_arrival) team.add(tally.ingress_drops, 1u);
  emit_drop(team, v, at_link, packet, cause, t);
}

/// Tests the headroom, then the pool. Drops a packet that fails one of them and returns false.
template <class Team>
HEDDLE_FN bool admit_ingress(const Team& team, const View& v, u32 own, const Packet& packet, TimePs t) {
  const u32 pfc = v.settings.pfc_index[packet.traffic_class()];
  const IngressPort& port = v.ingress[own];
  if (pfc == kNone || port.profile == kNone) return true;
  const Account& account = v.account[own * v.settings.pfc_classes + pfc];
  const u32 bytes = held_at(v, own, packet);
  if (static_cast<u64>(account.occupancy_bytes) + bytes > account_limit_bytes(v, port, account)) {
    drop_packet(team, v, own, packet, DropCause::headroom_overrun, t);
    return false;
  }
  if (port.pool != kNone && v.pool_state[port.pool].used_bytes + bytes > v.pool_limits[port.pool].limit_bytes) {
    drop_packet(team, v, own, packet, DropCause::pool_overflow, t);
    return false;
  }
  return true;
}

}  // namespace heddle
