// The tables of path pinning (MODEL.md, 7.1): the downlink of an endpoint, which is its place among the endpoints of
// its switch, by port; the links that lead from a spine down to a rack; and the number of spines of a rack.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// [endpoint] the downlink of the endpoint.
inline std::vector<u32> downlinks_of(const World& world) {
  const Routing& r = world.routing;
  std::vector<std::vector<u32>> place(world.fabric.nodes.size());  // [switch][port]
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    std::vector<u32>& of_switch = place[r.attach_switch[e]];
    of_switch.resize(world.fabric.nodes[r.attach_switch[e]].ports, 0);
    of_switch[r.attach_port[e]] = 1;
  }
  for (std::vector<u32>& of_switch : place) {
    u32 downlinks = 0;
    for (u32& port : of_switch) downlinks += std::exchange(port, downlinks);
  }
  std::vector<u32> downlink(world.fabric.endpoints);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) downlink[e] = place[r.attach_switch[e]][r.attach_port[e]];
  return downlink;
}

/// [node] the group of the endpoints attached to it; kNone: no endpoints.
inline std::vector<u32> groups_by_switch(const World& world) {
  std::vector<u32> group(world.fabric.nodes.size(), kNone);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e)
    group[world.routing.attach_switch[e]] = world.routing.group_of[e];
  return group;
}

/// The group of the rack to which a link leads down from a switch that has no endpoints itself; else kNone.
inline u32 rack_below_link(const World& world, LinkId link, const std::vector<u32>& group_on) {
  const Link& l = world.fabric.links[link];
  return l.src < world.fabric.endpoints || group_on[l.src] != kNone ? kNone : group_on[l.dst];
}

/// [group] number of different switches without endpoints to which its switch has cables, in service or not.
inline std::vector<u32> spines_of_groups(const World& world) {
  const std::vector<u32> groups = groups_by_switch(world);
  std::vector<std::set<NodeId>> spines(world.routing.table.groups);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const u32 group = rack_below_link(world, l, groups);
    if (group != kNone) spines[group].insert(world.fabric.links[l].src);
  }
  std::vector<u32> count;
  count.reserve(spines.size());
  for (const std::set<NodeId>& of_group : spines) count.push_back(static_cast<u32>(of_group.size()));
  return count;
}

}  // namespace heddle
