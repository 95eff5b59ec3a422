// Requirements of the oracle on a World, checked before it runs.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle::oracle {

/// Throws std::invalid_argument that names the table, the entry and the remedy.
void validate(const World& world);

}  // namespace heddle::oracle
