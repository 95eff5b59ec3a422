// Keys of a configuration that have no effect beside the others.
#pragma once

#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// A warning for each: sweeps over kinds of fabrics give keys of tiers that not all of them have. What can be said of a
/// section by itself is refused as it is read (Parameter::only_with).
std::vector<std::string> unused_keys(const Config& config, std::span<const std::string> sets, const World& world);

}  // namespace heddle
