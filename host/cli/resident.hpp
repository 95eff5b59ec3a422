// How much memory this process has taken.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

/// The most since the start.
u64 most_resident_bytes();

/// Gives back to the machine what is free.
void give_back_free_memory();

}  // namespace heddle
