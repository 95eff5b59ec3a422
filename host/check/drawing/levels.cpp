#include "host/check/drawing/levels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/world/fabric_of.hpp"
#include "partition/cut/sets.hpp"

namespace heddle::drawing {
namespace {

constexpr Tier kFirstSwitches{1};

/// The group of all switches that an endpoint has cables to; kNone if they differ.
u32 group_of_switches(const Fabric& fabric, const std::vector<u32>& group_of, EndpointId e) {
  u32 group = kNone;
  for (const Link& link : links_of(fabric, e)) {
    if (group != kNone && group != group_of[link.dst]) return kNone;
    group = group_of[link.dst];
  }
  return group;
}

/// Gives the endpoints [first, end) of a fabric the group of their switches, or none of them a group if some have
/// several.
void add_endpoints_of(const Fabric& fabric, EndpointId first, EndpointId end, std::vector<u32>& group_of) {
  for (EndpointId e = first; e < end; ++e) {
    group_of[e] = group_of_switches(fabric, group_of, e);
    if (group_of[e] != kNone) continue;
    std::fill(group_of.begin() + first, group_of.begin() + end, kNone);
    return;
  }
}

void add_endpoints(const Fabric& fabric, std::vector<u32>& group_of) {
  add_endpoints_of(fabric, 0, count_gpus(fabric), group_of);
  for (const OtherFabric& other : fabric.others)
    add_endpoints_of(fabric, other.first, other.first + other.endpoints, group_of);
}

Level fabrics_of(const Fabric& fabric) {
  Level level{"fabric", std::vector<u32>(fabric.nodes.size(), 0), {"GPUs"}};
  for (const OtherFabric& other : fabric.others) {
    const u32 number = static_cast<u32>(level.names.size());
    level.names.push_back(other.name);
    std::fill_n(level.group_of.begin() + other.first, other.endpoints, number);
  }
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n)
    level.group_of[n] = fabric_of_tier(fabric, fabric.nodes[n].tier);
  return level;
}

Level planes_of(const Fabric& fabric) {
  Sets sets(fabric.nodes.size());
  for (const Link& link : fabric.links) {
    if (link.src >= fabric.endpoints && link.dst >= fabric.endpoints) sets.join(link.src, link.dst);
  }
  Level level{"plane", std::vector<u32>(fabric.nodes.size(), kNone)};
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) level.group_of[n] = sets.find(n);
  add_endpoints(fabric, level.group_of);
  return level;
}

/// Whether cables join switches of one tier in two zones, as between the groups of a dragonfly.
bool join_in_one_tier(const Fabric& fabric) {
  return std::ranges::any_of(fabric.links, [&](const Link& link) {
    const Node &from = fabric.nodes[link.src], &to = fabric.nodes[link.dst];
    return from.tier == to.tier && from.zone != to.zone;
  });
}

/// A tier whose nodes are all in one zone, though others are in several, is above the zones.
Level zones_of(const Fabric& fabric) {
  std::vector<std::set<u32>> zones(fabric.tiers.size());  // [Tier]
  for (const Node& node : fabric.nodes) zones[static_cast<u32>(node.tier)].insert(node.zone);
  const bool has_zones = fabric.tiers.size() > 1 && fabric.tiers[1].name == "rtsw";
  Level level{has_zones ? "zone" : join_in_one_tier(fabric) ? "group" : "pod", {}};
  for (const Node& node : fabric.nodes)
    level.group_of.push_back(zones[static_cast<u32>(node.tier)].size() > 1 ? node.zone : kNone);
  return level;
}

Level units_of(const Fabric& fabric) {
  Level level{"unit", std::vector<u32>(fabric.nodes.size(), kNone)};
  if (fabric.nics_per_server < 2) return level;
  Sets sets(fabric.nodes.size());
  for (EndpointId e = 0; e < count_gpus(fabric); ++e) {
    const EndpointId first = e - e % fabric.nics_per_server;
    for (const Link& link : links_of(fabric, e)) sets.join(links_of(fabric, first)[0].dst, link.dst);
  }
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) {
    if (fabric.nodes[n].tier == kFirstSwitches) level.group_of[n] = sets.find(n);
  }
  add_endpoints(fabric, level.group_of);
  return level;
}

/// Calls `see` with every node that all levels group: its groups in `outer`, and that in `level`.
template <class See>
void for_each_grouped(const Fabric& fabric, const Level& level, std::span<const Level> outer, const See& see) {
  std::vector<u32> within(outer.size());
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) {
    bool grouped = level.group_of[n] != kNone;
    for (size_t i = 0; i < outer.size(); ++i) {
      within[i] = outer[i].group_of[n];
      grouped = grouped && within[i] != kNone;
    }
    if (grouped) see(std::as_const(within), level.group_of[n], n);
  }
}

/// Whether some group of the outer levels holds several groups of this one.
bool divides(const Fabric& fabric, const Level& level, std::span<const Level> outer) {
  std::map<std::vector<u32>, u32> first;
  bool several = false;
  for_each_grouped(fabric, level, outer, [&](const std::vector<u32>& within, u32 group, NodeId) {
    several = several || first.emplace(within, group).first->second != group;
  });
  return several;
}

/// Whether some group has several switches. A unit of one leaf would only be another name for it.
bool has_several_switches(const Fabric& fabric, const Level& level, std::span<const Level> outer) {
  std::map<std::pair<std::vector<u32>, u32>, NodeId> first;
  bool several = false;
  for_each_grouped(fabric, level, outer, [&](const std::vector<u32>& within, u32 group, NodeId node) {
    several = several || first.emplace(std::pair(within, group), node).first->second != node;
  });
  return several;
}

}  // namespace

std::vector<Level> levels_of(const Fabric& fabric) {
  std::vector<Level> levels;
  if (!fabric.others.empty()) levels.push_back(fabrics_of(fabric));
  if (Level planes = planes_of(fabric); divides(fabric, planes, levels)) levels.push_back(std::move(planes));
  if (Level zones = zones_of(fabric); divides(fabric, zones, levels)) levels.push_back(std::move(zones));
  Level units = units_of(fabric);
  if (divides(fabric, units, levels) && has_several_switches(fabric, units, levels)) levels.push_back(std::move(units));
  return levels;
}

}  // namespace heddle::drawing
