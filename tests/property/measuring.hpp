// Worlds with a controller that measures (MODEL.md, 7.8). What it says is known once it has run; told all of it
// beforehand, engine and oracle can be compared as on any other world.
#pragma once

#include <string>

#include "kernels/instantiate/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// The same World with all entries that the controller makes in a run on one rank.
World told_beforehand(const World& world);

/// Runs it with the controller measuring, in 1, 2 and 3 ranks, and once saved and gone on with after every solution.
/// Empty when all of them say what an engine of `told` does, of the World that was told beforehand; else what differs.
std::string difference_of_measuring(const World& world, const World& told, Device device = Device::cpu);

}  // namespace heddle::property
