// Flows of a World, or a sample of them where there are many.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// At most some ten thousand, evenly from all queue pairs of the World, those of all-to-alls in closed form too; of
/// queue pairs that no switch can tell apart only one. What no hash looks at is not filled in.
std::vector<Qp> sample_flows(const World& world);

}  // namespace heddle
