// Which congestion control a configuration means: it may name it, or switch it on in its own section.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "io/problems.hpp"
#include "kernels/world/congestion_parameters.hpp"

namespace heddle {

/// The control of a configuration whose sections are bound: roce.congestion_control, or the one whose section says
/// `enabled = true`, or "none". Where --set arguments say something else than the file, they hold. Reports statements
/// of the same source that contradict each other.
std::string chosen_control(const toml::table& root, const CongestionOptions& options, Problems& problems);

}  // namespace heddle
