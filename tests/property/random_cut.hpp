// Any cut of a World that ranks can simulate, however foolish.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle::property {

/// One part for each of at most `ranks` ranks; fewer when the World has less to divide. GPUs that NVLink joins stay
/// together; every other node goes where `seed` says. Host links may be cut, too.
std::vector<Part> random_cut(const World& world, u32 ranks, u64 seed);

}  // namespace heddle::property
