// What acceleration.mode does to a run, before it is made, and what else makes a long one shorter.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// With "bounded": how many MTUs a packet will carry and what that saves; with "exact": what of the workload repeats
/// itself apart from the rest, if anything. Else "". Throws ConfigError where `heddle run` would.
std::string acceleration_text(const Config& config, const World& world);

/// Of many GPUs that are simulated for less than a millisecond: what that can show, and what answers for a whole step.
/// Else "".
std::string window_text(const Config& config, const World& world);

/// Of a training step that takes so long on one core that its parts are worth a thought: the command for them. Else "".
std::string parts_text(const Config& config, double cpu_s);

}  // namespace heddle
