// What `heddle check` says of training jobs.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// What the GPUs compute in an iteration, and what their groups send; "" where nothing is trained.
std::string training_text(const World& world);

}  // namespace heddle
