// The path that the queue pair was given.
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

u32 choose_explicit(const World& world, NodeId at, const Packet& packet) {
  const Qp& qp = world.traffic.qps[packet.qp];
  u32 path = packet.kind == PacketKind::data ? qp.data_path : qp.control_path;
  if (path == kNone) no_way(world, at, packet);
  for (u32 h = world.routing.path_first[path]; h < world.routing.path_first[path + 1]; ++h) {
    if (world.routing.hops[h].node == at) return world.routing.hops[h].port;
  }
  no_way(world, at, packet);
}

}  // namespace heddle::oracle
