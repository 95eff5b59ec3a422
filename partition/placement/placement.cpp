#include "partition/placement/placement.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

using Draw = std::pair<u64, u32>;  // hash, server

Draw draw(const PlacementRequest& request, u32 server) {
  return {hash64(request.seed, Stream::placement, request.job, server), server};
}

std::vector<u32> contiguous(const PlacementRequest& request, const std::vector<bool>& taken) {
  std::vector<u32> servers;
  for (u32 s = request.first_server; s < taken.size(); ++s) {
    if (!taken[s]) servers.push_back(s);
  }
  return servers;
}

std::vector<u32> random(const PlacementRequest& request, const std::vector<bool>& taken) {
  std::vector<Draw> draws;
  for (u32 s : contiguous(request, taken)) draws.push_back(draw(request, s));
  std::sort(draws.begin(), draws.end());
  std::vector<u32> servers;
  servers.reserve(draws.size());
  for (const Draw& d : draws) servers.push_back(d.second);
  return servers;
}

/// Half of all servers of a rack, whether taken or not: two fragmented jobs share the racks, a third finds none.
std::vector<u32> fragmented(const PlacementRequest& request, std::span<const u32> rack_of,
                            const std::vector<bool>& taken) {
  std::map<u32, std::vector<Draw>> free_of_rack;
  std::map<u32, u32> servers_of_rack;
  for (u32 s = request.first_server; s < taken.size(); ++s) {
    ++servers_of_rack[rack_of[s]];
    if (!taken[s]) free_of_rack[rack_of[s]].push_back(draw(request, s));
  }
  std::vector<u32> servers;
  for (auto& [rack, draws] : free_of_rack) {
    const u32 half = servers_of_rack[rack] / 2;
    std::sort(draws.begin(), draws.end());
    if (draws.size() > half) draws.resize(half);
    std::vector<u32> chosen;
    for (const Draw& d : draws) chosen.push_back(d.second);
    std::sort(chosen.begin(), chosen.end());
    servers.insert(servers.end(), chosen.begin(), chosen.end());
  }
  return servers;
}

}  // namespace

Placement placement_of(std::string_view word) {
  if (word == "random") return Placement::random;
  if (word == "min_cut") return Placement::min_cut;
  return word == "fragmented" ? Placement::fragmented : Placement::contiguous;
}

std::vector<u32> place_servers(const PlacementRequest& request, std::span<const u32> rack_of,
                               const std::vector<bool>& taken) {
  std::vector<u32> servers;
  switch (request.placement) {
    case Placement::contiguous:
    case Placement::min_cut:
      servers = contiguous(request, taken);
      break;
    case Placement::random:
      servers = random(request, taken);
      break;
    case Placement::fragmented:
      servers = fragmented(request, rack_of, taken);
      break;
  }
  if (request.servers != 0 && servers.size() > request.servers) servers.resize(request.servers);
  return servers;
}

}  // namespace heddle
