// Pools, PFC thresholds and marking profiles of switches.
#pragma once

#include <string>

#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// What describes the memory of a switch: the options of the section TierInfo::memory_section.
const BufferOptions& buffer_options_of(const TierInfo& tier, const FabricOptions& options);

/// Gives every link into a switch its pool and PFC profile. Reads classes, links and clocks (slot, epoch) of `world`.
/// Throws ConfigError when headrooms do not fit into the memory.
void add_buffers(const FabricOptions& options, World& world);

/// Gives every switch egress its marking profile. Throws ConfigError when kmin > kmax.
void add_marking(const FabricOptions& options, Fabric& fabric);

/// Index of a PFC profile equal to `profile`, added when there is none yet.
u32 ingress_profile_index(const IngressProfile& profile, Fabric& fabric);

}  // namespace heddle
