// The number of GPUs of this machine.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// Returns 0 also when no driver is installed and in a build without the GPU backend. Throws std::runtime_error with
/// the driver's reason when a driver is installed but cannot count the GPUs.
u32 count_gpus();

}  // namespace heddle
