// Whether a lossless packet still fits where it comes in, and what it then occupies: the same at a switch and at a slow
// NIC (README, sections 5, 6 and 12.5). `own` is the egress link of the port at which the packet comes in.
#pragma once

#include "kernels/fabric/pause.hpp"
#include "kernels/observe/emit.hpp"

namespace heddle {

/// Charges a packet to its account and pool, or releases it. Nothing for classes and ports without PFC.
HEDDLE_FN void charge_ingress(const View& v, u32 own, const Packet& packet, bool arrives) {
  const u32 pfc = v.settings.pfc_index[packet.traffic_class()];
  const IngressPort& port = v.ingress[own];
  if (pfc == kNone || port.profile == kNone) return;
  const u64 by = arrives ? packet.frame_bytes() : u64{0} - packet.frame_bytes();
  v.account[own * v.settings.pfc_classes + pfc].occupancy_bytes += static_cast<u32>(by);
  if (port.pool != kNone) v.pool_state[port.pool].used_bytes += by;
}

/// Counts and reports the loss of `packet` at t; the event names the port of `at_link`.
template <class Team>
HEDDLE_FN void drop_packet(const Team& team, const View& v, u32 at_link, const Packet& packet, DropCause cause,
                           TimePs t) {
  ++v.link_tally[at_link].drops;
  Event event = packet_event(v, EventKind::drop, at_link, packet, t);
  event.detail = static_cast<u32>(cause);
  emit(team, v, event);
}

/// The headroom and pool tests, in this order; a packet that fails one is dropped, and false is returned.
template <class Team>
HEDDLE_FN bool admit_ingress(const Team& team, const View& v, u32 own, const Packet& packet, TimePs t) {
  const u32 pfc = v.settings.pfc_index[packet.traffic_class()];
  const IngressPort& port = v.ingress[own];
  if (pfc == kNone || port.profile == kNone) return true;
  const Account& account = v.account[own * v.settings.pfc_classes + pfc];
  const u32 bytes = packet.frame_bytes();
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
