// What links could carry in a run in which failures slow them down.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// [link], bit/s: the mean rate until `end_ps` while it was up; that of /topology/link where it never was.
std::vector<u64> mean_bits_per_s(const World& world, TimePs end_ps);

}  // namespace heddle
