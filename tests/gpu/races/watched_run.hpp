// Random worlds on the GPU whose accesses are checked.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "tests/gpu/races/found.hpp"

namespace heddle::property {

/// Returns the races in the world of a seed, on one GPU or cut into ranks that have one each. `by_ports`: plain
/// switches run by ports.
cuda_on_cpu::races::Found found_in(u64 seed, u32 ranks, bool by_ports = false);

/// Returns the first ten races as text.
std::string text_of(const std::vector<cuda_on_cpu::races::Race>& races);

}  // namespace heddle::property
