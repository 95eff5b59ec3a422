// Pools, PFC thresholds and marking profiles of switches.
#pragma once

#include <string>

#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// "buffer.rtsw": the section of the configuration that describes the switches of a tier.
std::string buffer_section_of(Tier tier);

/// The options of that section. `tier` is one of switches.
const BufferOptions& buffer_options_of(Tier tier, const FabricOptions& options);

/// Gives every link into a switch its pool and PFC profile. Reads classes, links and clocks (slot, epoch) of `world`.
/// Throws ConfigError when headrooms do not fit into the memory.
void add_buffers(const FabricOptions& options, World& world);

/// Gives every switch egress its marking profile. Throws ConfigError when kmin > kmax or a tier is unknown.
void add_marking(const EcnOptions& options, Fabric& fabric);

/// Index of a PFC profile equal to `profile`, added when there is none yet.
u32 ingress_profile_index(const IngressProfile& profile, Fabric& fabric);

}  // namespace heddle
