// The hashes of the switches of all fabrics of a world (MODEL.md, 7.2).
#pragma once

#include <span>
#include <string>

#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// Describes what is wrong with [routing.hash] and the sections [tier.NAME] of all fabrics, and begins with a key;
/// empty if nothing.
std::string problem_of_hashes(const FabricOptions& options, const RoutingOptions& routing,
                              std::span<const OtherFabricOptions> others);

/// Converts options without problems. Where no section of their own says otherwise, the tiers of other fabrics hash as
/// the first one's at the same place above NICs.
RoutingHash switch_hashes(const FabricOptions& options, const RoutingOptions& routing,
                          std::span<const OtherFabricOptions> others, const Fabric& built);

}  // namespace heddle
