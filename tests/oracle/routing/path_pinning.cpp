// The index of the destination among the NICs of its switch selects the next hop; among parallel cables down to that
// switch, its index among the NICs that its spine serves does.
#include <algorithm>
#include <set>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class PathPinning : public Policy {
  u32 choose(const RouteContext& context) override {
    const Routing& routing = context.world.routing;
    const NodeId rack = routing.attach_switch[context.packet.dst];
    u32 number = 0;  // NICs of the same switch at lower ports
    for (u32 a = 0; a < routing.attach_switch.size(); ++a) {
      number += routing.attach_switch[a] == rack && routing.attach_port[a] < routing.attach_port[context.packet.dst];
    }
    const std::span<const u16> hops = context.next_hops();
    if (!has_endpoints(context.world, context.at) && leads_to(context, hops[0]) == rack) {
      number /= static_cast<u32>(spines_of(context.world, rack).size());
    }
    return hops[number % hops.size()];
  }

  static bool has_endpoints(const World& world, NodeId node) {
    return std::ranges::find(world.routing.attach_switch, node) != world.routing.attach_switch.end();
  }

  static NodeId leads_to(const RouteContext& context, u32 port) {
    const Fabric& fabric = context.world.fabric;
    return fabric.links[fabric.nodes[context.at].first_link + port].dst;
  }

  /// Switches without endpoints that are cabled to `rack`.
  static std::set<NodeId> spines_of(const World& world, NodeId rack) {
    std::set<NodeId> spines;
    for (const Link& link : world.fabric.links) {
      const bool from_switch = link.dst == rack && link.src >= world.fabric.endpoints;
      if (from_switch && !has_endpoints(world, link.src)) spines.insert(link.src);
    }
    return spines;
  }
};

}  // namespace

std::unique_ptr<Policy> make_path_pinning() { return std::make_unique<PathPinning>(); }

}  // namespace heddle::oracle
