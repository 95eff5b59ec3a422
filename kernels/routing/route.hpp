// The egress link that a packet takes at a switch (MODEL.md, 7.1).
#pragma once

#include "kernels/routing/policies.hpp"

namespace heddle {

/// Whether failures have left no next hop for the packet in the current row of local switch `node` (MODEL.md, 7.9).
HEDDLE_FN bool has_no_route(const View& v, u32 node, const Packet& packet) {
  const u32 dst = packet.dst();
  return v.attach_node[dst] != node && v.route[v.route_row[node] + v.group_of[dst]] == kNone;
}

/// Local egress link for a packet that has arrived at local switch `node` at t, by the port of egress link `own`. Adds
/// the policy's statistics to `tally`.
HEDDLE_FN u32 route(const View& v, u32 node, const Packet& packet, u32 own, TimePs t, Tally& tally) {
  const u32 dst = packet.dst();
  if (v.attach_node[dst] == node) return v.attach_link[dst];
  return v.first_link[node] + RoutingPolicies::choose(v, node, packet, own, t, tally);
}

}  // namespace heddle
