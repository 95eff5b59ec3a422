// Whether everybody who sends has a way to whom he sends, in a fabric of several parts.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Throws ConfigError for traffic over the network between NICs that no switches join. Does nothing where all switches
/// are joined.
void check_reach_of_traffic(const World& world);

}  // namespace heddle
