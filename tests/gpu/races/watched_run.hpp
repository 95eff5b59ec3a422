// Random worlds on the GPU that is looked at.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "tests/gpu/races/found.hpp"

namespace heddle::property {

/// What is found in the world of a seed, on one GPU or cut into ranks that have one each.
cuda_on_cpu::races::Found found_in(u64 seed, u32 ranks);

/// Of the first ten.
std::string text_of(const std::vector<cuda_on_cpu::races::Race>& races);

}  // namespace heddle::property
