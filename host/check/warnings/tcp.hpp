// Settings under which TCP works badly, or not as they say.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Warnings from the tables alone; none where no data go by TCP.
std::vector<std::string> warnings_of_tcp(const World& world);

}  // namespace heddle
