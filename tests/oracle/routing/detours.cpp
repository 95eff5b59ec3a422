#include "tests/oracle/routing/detours.hpp"

#include <set>

namespace heddle::oracle {
namespace {

bool may_take_a_detour(const RouteContext& context) {
  const World& world = context.world;
  if (world.routing.detour_class == 0 || context.parameter("adaptive.detours") == 0) return false;
  if (context.packet.cls != kDetouredClass) return false;
  const Fabric& fabric = world.fabric;
  const NodeId from = fabric.links[fabric.nodes[context.at].first_link + context.ingress_port].dst;
  if (from < fabric.endpoints || !leads_down(world, context.at, context.ingress_port)) return false;
  for (u32 port : context.next_hops()) {
    if (leads_down(world, context.at, port)) return false;
  }
  return true;
}

}  // namespace

bool leads_down(const World& world, NodeId at, u32 port) {
  const Fabric& fabric = world.fabric;
  const Node &self = fabric.nodes[at], &neighbour = fabric.nodes[fabric.links[self.first_link + port].dst];
  return neighbour.tier < self.tier;
}

std::vector<u32> detours_of(const RouteContext& context) {
  if (!may_take_a_detour(context)) return {};
  const Routing& routing = context.world.routing;
  const std::vector<NodeId> switch_of_group = routing.switches_of_groups();
  std::set<u32> ports;
  for (u32 group = 0; group < routing.table.groups; ++group) {
    if (switch_of_group[group] == context.at) continue;  // a switch has no next hops to its own endpoints
    for (u32 port : routing.next_hops(context.at, group, context.t)) {
      if (!leads_down(context.world, context.at, port)) ports.insert(port);
    }
  }
  for (u32 port : context.next_hops()) ports.erase(port);
  return {ports.begin(), ports.end()};
}

u32 class_onward(const World& world, NodeId at, u32 came_by, u32 leaves_by, u32 cls) {
  if (world.routing.detour_class == 0 || cls != kDetouredClass) return cls;
  if (leads_down(world, at, came_by) || leads_down(world, at, leaves_by)) return cls;
  return world.routing.detour_class;
}

}  // namespace heddle::oracle
