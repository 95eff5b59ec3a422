// Settings that may be intended but seldom are.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Warnings from the tables alone, found quickly: `run` prints them, too.
std::vector<std::string> warnings_of(const World& world);

}  // namespace heddle
