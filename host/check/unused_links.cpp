#include "host/check/unused_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "host/check/link_types.hpp"
#include "kernels/routing/downlinks.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// Groups whose endpoints have the same downlinks are of one kind: a fabric has few.
struct GroupKinds {
  std::vector<u32> of_group;
  std::vector<std::vector<u32>> downlinks;  // [kind] in ascending order
  std::map<NodeId, u32> group_at;           // [switch] the group that hangs on it
};

GroupKinds kinds_of_groups(const World& world) {
  const Routing& r = world.routing;
  const std::vector<u32> downlink = downlinks_of(world);
  std::vector<std::vector<u32>> of_group(r.table.groups);
  GroupKinds kinds;
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    of_group[r.group_of[e]].push_back(downlink[e]);
    kinds.group_at[r.attach_switch[e]] = r.group_of[e];
  }
  std::map<std::vector<u32>, u32> known;
  for (std::vector<u32>& all : of_group) {
    std::ranges::sort(all);
    kinds.of_group.push_back(known.emplace(std::move(all), static_cast<u32>(known.size())).first->second);
  }
  kinds.downlinks.resize(known.size());
  for (const auto& [all, kind] : known) kinds.downlinks[kind] = all;
  return kinds;
}

/// Groups of one kind that a row leads to by one set of next hops: how many, and one of them.
struct Groups {
  u32 count = 0, example = 0;
};
using GroupsOfRow = std::map<std::pair<u32, u32>, Groups>;  // (set, kind)

GroupsOfRow groups_of_row(const NextHopTable& table, u32 row, const GroupKinds& kinds) {
  GroupsOfRow all;
  auto last = all.end();
  for (u32 group = 0; group < table.groups; ++group) {
    const std::pair key(table.set_in_row(row, group), kinds.of_group[group]);
    if (key.first == kNone) continue;
    if (last == all.end() || last->first != key) last = all.try_emplace(key).first;
    ++last->second.count;
    last->second.example = group;
  }
  return all;
}

/// Which ports of a switch are offered, and which of them chosen.
struct Ports {
  std::vector<bool> offered, chosen;
};

Ports ports_of(const World& world, NodeId at, const GroupsOfRow& groups, const GroupKinds& kinds) {
  const u32 count = world.fabric.nodes[at].ports;
  Ports ports{std::vector<bool>(count), std::vector<bool>(count)};
  const auto own = kinds.group_at.find(at);
  for (const auto& [key, of_row] : groups) {
    if (of_row.count == 1 && own != kinds.group_at.end() && of_row.example == own->second) continue;
    const std::span<const u16> hops = world.routing.table.ports_of(key.first);
    for (const u16 port : hops) ports.offered[port] = true;
    for (const u32 d : kinds.downlinks[key.second]) ports.chosen[hops[d % hops.size()]] = true;
  }
  return ports;
}

}  // namespace

std::vector<LinkId> links_without_downlink(const World& world) {
  const Fabric& f = world.fabric;
  std::vector<LinkId> links;
  GroupKinds kinds;
  std::map<u32, GroupsOfRow> rows;
  for (NodeId s = f.endpoints; s < f.nodes.size(); ++s) {
    if (!policy_at(world, s).by_downlink) continue;
    if (kinds.of_group.empty()) kinds = kinds_of_groups(world);
    const u32 row = world.routing.row_of(s);
    if (!rows.contains(row)) rows[row] = groups_of_row(world.routing.table, row, kinds);
    const Ports ports = ports_of(world, s, rows[row], kinds);
    for (u32 port = 0; port < f.nodes[s].ports; ++port) {
      if (ports.offered[port] && !ports.chosen[port]) links.push_back(f.nodes[s].first_link + port);
    }
  }
  return links;
}

std::string warning_of_unused_links(const World& world) {
  const std::vector<LinkId> links = links_without_downlink(world);
  if (links.empty()) return {};
  return fmt::format(
      "routing policy {}: {} links can never be chosen, e.g. {}: a packet takes next hop number d mod n, d being its "
      "destination's place in its rack, and no rack has a NIC at such a place, as there are more next hops than NICs "
      "in a rack. These links stay idle, so the rack has less bandwidth than its uplinks add up to; give a rack as "
      "many "
      "uplinks as GPUs (topology.uplinks_per_rtsw, topology.gpus_per_rack), or choose another routing.policy",
      policy_at(world, world.fabric.links[links.front()].src).name, links.size(),
      link_name(world.fabric, links.front()));
}

}  // namespace heddle
