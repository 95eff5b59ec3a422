// Detours of adaptive routing (MODEL.md, 7.11): the class in which packets go on after one, and where they may be
// taken.
#pragma once

#include <span>

#include "host/scenario/topology/other_fabric.hpp"
#include "host/scenario/topology/topology.hpp"
#include "kernels/routing/parameters.hpp"

namespace heddle {

/// Whether packets take detours: routing.adaptive.detours, where some switch is adaptive. Throws ConfigError when the
/// fabric does not suit, as packets could then wait for each other in a cycle.
bool wants_detours(const FabricOptions& options, const RoutingOptions& routing,
                   std::span<const OtherFabricOptions> others);

/// Throws ConfigError when a fabric beside the first one does not go with detours. `built` has all of them.
void check_fabrics_beside_detours(const RoutingOptions& routing, std::span<const OtherFabricOptions> others,
                                  const Fabric& built);

/// Adds the class of detours, which is a copy of the one that takes them.
void add_detour_class(Fabric& fabric);

}  // namespace heddle
