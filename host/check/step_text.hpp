// Where `heddle step` answers what a run of all GPUs would take too long for, or is too short for.
#pragma once

#include <string>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Of many GPUs that are simulated for less than a millisecond: what that can show, and what answers for a whole step.
/// Else "".
std::string window_text(const Config& config, const World& world);

/// Of a training step that takes so long on one core that its parts are worth a thought: the command for them. Else "".
std::string parts_text(const Config& config, double cpu_s);

}  // namespace heddle
