// Warnings about a controller whose reports and routes travel over a network.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

std::vector<std::string> warnings_of_controller(const World& world);

}  // namespace heddle
