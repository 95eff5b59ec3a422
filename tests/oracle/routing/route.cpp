#include "tests/oracle/routing/route.hpp"

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

u32 egress_port(const World& world, NodeId at, const Packet& packet) {
  const Routing& routing = world.routing;
  if (routing.attach_switch[packet.dst] == at) return routing.attach_port[packet.dst];
  return policy_named(routing.policy_of(world.fabric.nodes[at]))(world, at, packet);
}

}  // namespace heddle::oracle
