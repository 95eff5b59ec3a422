// A tiny dragonfly+ for tests of detours: groups of one leaf and one spine, all spines joined with each other.
#pragma once

#include <utility>
#include <vector>

#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {

/// NICs 0 and 1 are in group 0, NIC g + 1 in group g; then the leaves by group, then the spines. A leaf's ports are its
/// NICs, then its spine; a spine's are its leaf, then the other groups in order.
inline NodeId leaf_of(u32 groups, u32 group) { return groups + 1 + group; }
inline NodeId spine_of(u32 groups, u32 group) { return 2 * groups + 1 + group; }
inline u32 port_to(u32 group, u32 other) { return other < group ? other + 1 : other; }

/// Adds a row of next hops, given by group. Returns its number.
inline u32 add_row(World& world, const std::vector<std::vector<u16>>& by_group) {
  NextHopTable& table = world.routing.table;
  u32 row = table.rows();
  for (const std::vector<u16>& ports : by_group) {
    table.set_of.push_back(ports.empty() ? kNone : static_cast<u32>(table.sets.size()));
    if (ports.empty()) continue;
    table.sets.push_back({static_cast<u32>(table.ports.size()), static_cast<u32>(ports.size())});
    table.ports.insert(table.ports.end(), ports.begin(), ports.end());
  }
  return row;
}

/// All tiers route by `adaptive`, per packet, and take detours. Grades are of 4096 bytes.
inline World tiny_dragonfly(u32 groups, u32 threshold_bytes) {
  std::vector<std::pair<NodeId, NodeId>> cables = {{0, leaf_of(groups, 0)}};
  for (u32 g = 0; g < groups; ++g) cables.emplace_back(g + 1, leaf_of(groups, g));
  for (u32 g = 0; g < groups; ++g) cables.emplace_back(leaf_of(groups, g), spine_of(groups, g));
  for (u32 g = 0; g < groups; ++g) {
    for (u32 other = g + 1; other < groups; ++other) cables.emplace_back(spine_of(groups, g), spine_of(groups, other));
  }
  World world = tiny_fabric(groups + 1, 2 * groups, cables);
  for (u32 g = 0; g < groups; ++g) {
    world.fabric.nodes[leaf_of(groups, g)].tier = Tier{1};
    world.fabric.nodes[spine_of(groups, g)].tier = Tier{2};
  }
  world.fabric.classes.push_back(world.fabric.classes[kDetouredClass]);
  world.roce.recovery = Recovery::selective_repeat;  // packets overtake each other
  Routing& routing = world.routing;
  routing.table.groups = groups;
  routing.first_switch = groups + 1;
  for (EndpointId e = 0; e <= groups; ++e) {
    u32 g = e == 0 ? 0 : e - 1;
    routing.group_of.push_back(g);
    routing.attach_switch.push_back(leaf_of(groups, g));
    routing.attach_port.push_back(e == 1 ? 1 : 0);
  }
  for (u32 s = 0; s < 2 * groups; ++s) {
    bool leaf = s < groups;
    u32 own = s % groups;
    std::vector<std::vector<u16>> by_group(groups);
    for (u32 g = 0; g < groups; ++g) {
      u32 up = own == 0 ? 2 : 1, port = leaf ? up : g == own ? 0 : port_to(own, g);
      if (!leaf || g != own) by_group[g] = {static_cast<u16>(port)};
    }
    routing.table.row_of.push_back(add_row(world, by_group));
  }
  routing.policy.fill("adaptive");
  routing.parameters = {{"adaptive.per", 0},     {"adaptive.grade", 4096},
                        {"adaptive.gap", 1000},  {"adaptive.entries", 16},
                        {"adaptive.detours", 1}, {"adaptive.detour_threshold", threshold_bytes}};
  routing.detour_class = kDetourClass;
  return world;
}

}  // namespace heddle::oracle
