// Flows of a World, or a sample of them where there are many.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// At most some ten thousand flows, evenly from all queue pairs of the World, all-to-alls in closed form included; only
/// one of several queue pairs that no switch can tell apart. Fields that no hash reads are left empty.
std::vector<Qp> sample_flows(const World& world);

}  // namespace heddle
