// The look-up shared by all static policies: which egress link a packet takes at a switch (MODEL.md, 7).
#pragma once

#include "kernels/routing/ecmp.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Index among `count` equal next hops of local switch `node`.
HEDDLE_FN u32 ecmp_index(const View& v, u32 node, const Packet& packet, u32 count) {
  const EcmpFields fields{packet.src(), packet.dst(), packet.entropy(), packet.dst_qp()};
  return ecmp_choice(v.ecmp_state[node], fields, v.settings.routing == RoutingPolicy::e_ecmp, count);
}

/// The hop that an explicit path gives for this switch. Paths are checked when the world is expanded.
HEDDLE_FN u32 explicit_port(const View& v, u32 node, const Packet& packet) {
  const bool data = packet.kind() == PacketKind::data;
  const u32* first = data ? v.data_path_first : v.control_path_first;
  const u32* paths = data ? v.data_path : v.control_path;
  const u32 path = paths[first[packet.dst()] + packet.dst_qp()];
  for (u32 i = v.path_first[path]; i < v.path_first[path + 1]; ++i) {
    if (v.hops[i].node == node) return v.hops[i].port;
  }
  return 0;
}

/// Local egress link of local switch `node` for this packet.
HEDDLE_FN u32 route(const View& v, u32 node, const Packet& packet) {
  const u32 dst = packet.dst();
  if (v.attach_node[dst] == node) return v.attach_link[dst];
  if (v.settings.routing == RoutingPolicy::explicit_paths) return v.first_link[node] + explicit_port(v, node, packet);
  const NextHops hops = v.sets[v.route[v.route_row[node] + v.group_of[dst]]];
  const u32 index = hops.count == 1 ? 0 : ecmp_index(v, node, packet, hops.count);
  return v.first_link[node] + v.set_ports[hops.first + index];
}

}  // namespace heddle
