// One line that says what a run simulates.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// Returns "512 GPUs, 50 switches, 1 job of 5 all-reduces", or "64 GPUs, 4 switches, 32 messages".
std::string title_of(const World& world);

}  // namespace heddle
