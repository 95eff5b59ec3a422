// What may be meant but seldom is.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// From the tables alone, quickly: `run` says it too.
std::vector<std::string> warnings_of(const World& world);

}  // namespace heddle
