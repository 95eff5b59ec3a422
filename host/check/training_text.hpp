// The report of `heddle check` about training jobs.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// The computing of the GPUs in an iteration, and the traffic of their groups; "" without a training job.
std::string training_text(const World& world);

}  // namespace heddle
