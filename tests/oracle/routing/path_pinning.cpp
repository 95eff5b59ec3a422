// The place of the destination among the NICs of its switch names the next hop; of parallel cables down to that switch,
// its place among those that its spine serves.
#include <algorithm>
#include <set>

#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {
namespace {

class PathPinning : public Policy {
  u32 choose(const Site& site) override {
    const Routing& routing = site.world.routing;
    const NodeId rack = routing.attach_switch[site.packet.dst];
    u32 number = 0;  // NICs of the same switch at lower ports
    for (EndpointId e = 0; e < site.world.fabric.endpoints; ++e) {
      number += routing.attach_switch[e] == rack && routing.attach_port[e] < routing.attach_port[site.packet.dst];
    }
    const std::span<const u16> hops = site.next_hops();
    if (!has_endpoints(site.world, site.at) && leads_to(site, hops[0]) == rack) {
      number /= static_cast<u32>(spines_of(site.world, rack).size());
    }
    return hops[number % hops.size()];
  }

  static bool has_endpoints(const World& world, NodeId node) {
    return std::ranges::find(world.routing.attach_switch, node) != world.routing.attach_switch.end();
  }

  static NodeId leads_to(const Site& site, u32 port) {
    const Fabric& fabric = site.world.fabric;
    return fabric.links[fabric.nodes[site.at].first_link + port].dst;
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
