// Random cuts of a World that ranks can simulate, however inefficient.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// Returns one part for each of at most `ranks` ranks; fewer when the World has less to divide. GPUs joined by NVLink
/// stay together; `seed` places every other node. Host links may be cut, too.
std::vector<Part> random_cut(const World& world, u32 ranks, u64 seed);

}  // namespace heddle::property
