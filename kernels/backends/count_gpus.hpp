// How many GPUs this machine has.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// 0, too, where no driver is installed and in a build without the GPU backend. Throws std::runtime_error where there
/// is a driver that cannot say, with its reason.
u32 count_gpus();

}  // namespace heddle
