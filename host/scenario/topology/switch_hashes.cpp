#include "host/scenario/topology/switch_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/scenario/topology/registry.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

/// 0 of RTSWs and leaves, 1 of CTSWs and spines, 2 of ATSWs and cores: as the lists of [routing.hash] count.
size_t place_above_nics(const TierInfo& tier) {
  for (const auto& names : {kZoneTierNames, kLeafTierNames}) {
    const auto found = std::ranges::find(names, own_name(tier));
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
  }
  throw std::logic_error("a tier of no known name: " + tier.name);
}

/// Zones have no sections [tier.NAME].
TierHashes tier_hashes_of(const FabricOptions& fabric, const RoutingOptions& routing, std::string of) {
  if (tier_names_of(fabric.topology.kind)[0] != kLeafTierNames[0]) return {};
  return {routing.tier_hashes, std::move(of)};
}

TierHashes tier_hashes_of(std::span<const OtherFabricOptions> others, size_t number) {
  return tier_hashes_of(others[number].fabric, others[number].routing, fmt::format("fabric.{}.", number));
}

}  // namespace

std::string problem_of_hashes(const FabricOptions& options, const RoutingOptions& routing,
                              std::span<const OtherFabricOptions> others) {
  std::string problem = problem_of_hash(routing.hash, tier_hashes_of(options, routing, ""));
  for (size_t i = 0; i < others.size() && problem.empty(); ++i)
    problem = problem_of_hash(routing.hash, tier_hashes_of(others, i));
  return problem;
}

RoutingHash switch_hashes(const FabricOptions& options, const RoutingOptions& routing,
                          std::span<const OtherFabricOptions> others, const Fabric& built) {
  RoutingHash hash = routing_hash_of(routing.hash, tier_hashes_of(options, routing, ""));
  for (u32 tier = 1; tier < built.tiers.size(); ++tier) {
    const u32 fabric = fabric_of_tier(built, static_cast<Tier>(tier));
    if (fabric == 0) continue;
    const RoutingHash own = routing_hash_of(routing.hash, tier_hashes_of(others, fabric - 1));
    hash.of_tier[tier] = own.of_tier[1 + place_above_nics(built.tiers[tier])];
  }
  return hash;
}

}  // namespace heddle
