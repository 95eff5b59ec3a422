// What NCCL's tuner expects of the collectives of jobs, and what they take.
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// For each job and kind that has several algorithms or protocols: latency and bandwidth of each by the tuner's model,
/// and what every size is done by. "" without.
std::string collective_text(const World& world);

}  // namespace heddle
