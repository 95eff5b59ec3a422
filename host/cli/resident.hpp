// The memory that this process uses.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// The peak since the start.
u64 max_resident_bytes();

/// Returns free memory to the machine.
void give_back_free_memory();

}  // namespace heddle
