// Keys of a configuration that have no effect given the others.
#pragma once

#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// A warning for each such key: sweeps over kinds of fabrics give keys of tiers that some of them lack. Keys that a
/// section alone shows to be unused are refused when it is read (Parameter::only_with).
std::vector<std::string> unused_keys(const Config& config, std::span<const std::string> sets, const World& world);

}  // namespace heddle
