#include "partition/placement/min_cut.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

using Servers = std::vector<u32>;

/// The fewest zones (or racks) with at least `count` servers: those with most servers, in order of size, equal ones in
/// order.
std::vector<Servers> fewest(std::span<const u32> free, std::span<const u32> group_of, u32 count) {
  std::map<u32, Servers> groups;
  for (const u32 s : free) groups[group_of[s]].push_back(s);
  std::vector<Servers> all;
  all.reserve(groups.size());
  for (auto& [number, servers] : groups) all.push_back(std::move(servers));
  std::vector<u32> by_size(all.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](u32 a, u32 b) { return all[a].size() > all[b].size(); });
  size_t taken = 0, room = 0;
  while (room < count) room += all[by_size[taken++]].size();
  by_size.resize(taken);
  std::vector<Servers> chosen;
  chosen.reserve(taken);
  for (const u32 i : by_size) chosen.push_back(std::move(all[i]));
  return chosen;
}

/// The vertices of each part, ascending.
std::vector<std::vector<u32>> divided(const ServerGraph& graph, const std::vector<Servers>& groups) {
  std::vector<u32> room;
  room.reserve(groups.size());
  for (const Servers& servers : groups) room.push_back(static_cast<u32>(servers.size()));
  std::vector<std::vector<u32>> parts(groups.size());
  const std::vector<u32> part_of_vertex = divide_servers(graph, room);
  for (u32 v = 0; v < part_of_vertex.size(); ++v) parts[part_of_vertex[v]].push_back(v);
  return parts;
}

Servers by_zones_and_racks(const ServerGraph& graph, std::span<const u32> free, std::span<const u32> zone_of,
                           std::span<const u32> rack_of) {
  Servers servers(graph.servers());
  const std::vector<Servers> zones = fewest(free, zone_of, graph.servers());
  const std::vector<std::vector<u32>> in_zone = divided(graph, zones);
  for (size_t z = 0; z < zones.size(); ++z) {
    if (in_zone[z].empty()) continue;
    const std::vector<Servers> racks = fewest(zones[z], rack_of, static_cast<u32>(in_zone[z].size()));
    const std::vector<std::vector<u32>> in_rack = divided(part_of(graph, in_zone[z]), racks);
    for (size_t r = 0; r < racks.size(); ++r) {
      for (size_t i = 0; i < in_rack[r].size(); ++i) servers[in_zone[z][in_rack[r][i]]] = racks[r][i];
    }
  }
  return servers;
}

/// The bytes between zones, and those between racks.
std::pair<u64, u64> crossing(const ServerGraph& graph, const Servers& servers, std::span<const u32> zone_of,
                             std::span<const u32> rack_of) {
  const auto between = [&](std::span<const u32> group_of) {
    std::vector<u32> part;
    for (const u32 s : servers) part.push_back(group_of[s]);
    return weight_between(graph, part);
  };
  return {between(zone_of), between(rack_of)};
}

}  // namespace

std::vector<u32> place_min_cut(const ServerGraph& graph, std::span<const u32> free, std::span<const u32> zone_of,
                               std::span<const u32> rack_of) {
  Servers in_order(free.begin(), free.begin() + graph.servers());
  Servers found = by_zones_and_racks(graph, free, zone_of, rack_of);
  const bool better = crossing(graph, found, zone_of, rack_of) < crossing(graph, in_order, zone_of, rack_of);
  return better ? found : in_order;
}

}  // namespace heddle
