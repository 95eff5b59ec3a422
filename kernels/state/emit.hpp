// Reports one event to the digest, the sums, and the requested records.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

template <class Team>
HEDDLE_FN void emit(const Team& team, const View& v, const Event& event) {
  Tally& tally = team.tally();
  team.add(tally.count[static_cast<u32>(event.kind)], u64{1});
  if (!only_on_request(event.kind) || v.settings.trace) team.add(tally.digest, digest_of(event));
  if (event.kind == EventKind::drop) team.add(tally.drops[event.detail], u64{1});
  if ((v.settings.recorded_kinds >> static_cast<u32>(event.kind)) & 1) team.record(event);
}

/// An event of a packet at egress `link`.
HEDDLE_FN Event packet_event(const View& v, EventKind kind, u32 link, const Packet& packet, TimePs when) {
  const u32 node = v.link_node[link];
  return {when,
          packet.id(),
          v.node_id[node],
          static_cast<u16>(link - v.first_link[node]),
          static_cast<u8>(packet.traffic_class()),
          kind,
          0};
}

/// Reports the loss of `packet` at egress `link`, or at the ingress of its port.
template <class Team>
HEDDLE_FN void emit_drop(const Team& team, const View& v, u32 link, const Packet& packet, DropCause cause,
                         TimePs when) {
  Event event = packet_event(v, EventKind::drop, link, packet, when);
  event.detail = static_cast<u32>(cause);
  emit(team, v, event);
}

}  // namespace heddle
