// The tables of path pinning (MODEL.md, 7.1): the downlink of an address, which is its place among the addresses of
// its switch, by port; the links that lead from a spine down to a rack; and the number of spines of a rack.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// [address] the downlink of the address.
inline std::vector<u32> downlinks_of(const World& world) {
  const Routing& r = world.routing;
  std::vector<std::vector<u32>> place(world.fabric.nodes.size());  // [switch][port]
  const u32 addresses = static_cast<u32>(r.attach_switch.size());
  for (u32 a = 0; a < addresses; ++a) {
    std::vector<u32>& of_switch = place[r.attach_switch[a]];
    of_switch.resize(world.fabric.nodes[r.attach_switch[a]].ports, 0);
    of_switch[r.attach_port[a]] = 1;
  }
  for (std::vector<u32>& of_switch : place) {
    u32 downlinks = 0;
    for (u32& port : of_switch) downlinks += std::exchange(port, downlinks);
  }
  std::vector<u32> downlink(addresses);
  for (u32 a = 0; a < addresses; ++a) downlink[a] = place[r.attach_switch[a]][r.attach_port[a]];
  return downlink;
}

/// [node] the group of the addresses attached to it; kNone: none.
inline std::vector<u32> groups_by_switch(const World& world) {
  std::vector<u32> group(world.fabric.nodes.size(), kNone);
  for (u32 a = 0; a < world.routing.attach_switch.size(); ++a)
    group[world.routing.attach_switch[a]] = world.routing.group_of[a];
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
