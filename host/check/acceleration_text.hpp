// What acceleration.mode does to a run, before it is made.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// With "bounded": how many MTUs a packet will carry and what that saves; with "exact": what of the workload repeats
/// itself apart from the rest, if anything. Else "". Throws ConfigError where `heddle run` would.
std::string acceleration_text(const Config& config, const World& world);

}  // namespace heddle
