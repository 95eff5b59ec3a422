// Rings whose ranks wait for each other, whatever the fabric (kernels/MODEL.md, 9.1).
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// One message per job with rings that would never end: with fewer slots than a chunk has slices, or as few where all
/// ranks share a server. What ends all the same is not refused.
std::vector<std::string> ring_slot_problems(const World& world);

}  // namespace heddle
