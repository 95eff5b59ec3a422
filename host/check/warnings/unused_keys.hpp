// Keys of a configuration that have no effect given the others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct Config;

/// A warning for each: sweeps over kinds of fabrics give keys of tiers that not all of them have. What can be said of a
/// section by itself is refused as it is read (Parameter::only_with).
std::vector<std::string> unused_keys(const Config& config, std::span<const std::string> sets, const World& world);

}  // namespace heddle
