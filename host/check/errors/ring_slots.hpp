// Rings that deadlock whatever the fabric, because their ranks wait for each other (kernels/MODEL.md, 9.1).
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// One message per job whose rings would never end: they have fewer slots than a chunk has slices, or as few where all
/// ranks share a server. Rings that end all the same are not refused.
std::vector<std::string> ring_slot_problems(const World& world);

}  // namespace heddle
