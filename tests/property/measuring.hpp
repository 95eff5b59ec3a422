// Worlds with a controller that measures (MODEL.md, 7.8). Its entries are known once it has run; in a World with all of
// them from the beginning, engine and oracle can be compared as on any other world.
#pragma once

#include <string>

#include "kernels/instantiate/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// Returns the same World with all entries that the controller makes in a run on one rank.
World told_beforehand(const World& world);

/// Runs the World with the controller measuring, in 1, 2 and 3 ranks, and saved and resumed after every solution.
/// Returns "" when all have the result of an engine run of `told`, the World that has the entries from the beginning;
/// else the difference.
std::string difference_of_measuring(const World& world, const World& told, Device device = Device::cpu);

}  // namespace heddle::property
