// Hints to use `heddle step` where a run of all GPUs would take too long, or is too short.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

struct Config;

/// Of many GPUs that are simulated for less than a millisecond: what that can show, and what answers for a whole step.
/// Else "".
std::string window_text(const Config& config, const World& world);

/// The command that simulates a training step by its parts, if the whole takes long on one core. Else "".
std::string parts_text(const Config& config, double cpu_s);

}  // namespace heddle
