// The parts into which a fabric falls when its endpoints are taken out: planes, rails without spines between them.
#pragma once

#include <vector>

#include "kernels/world/fabric.hpp"

namespace heddle {

/// [switch - endpoints] the number of its part. Parts are numbered in order of their first switches.
std::vector<u32> parts_of_switches(const Fabric& fabric);

/// Throws ConfigError unless the ports of one number of all NICs are in one part, so that everybody reaches everybody.
void check_joined(const Fabric& fabric);

}  // namespace heddle
