// Asks for memory before it is needed.
#pragma once

#include <cstdint>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The cache line at array + index, which need not exist, will be read or written soon. Nothing on a GPU, where other
/// warps run while one waits. Not __builtin_prefetch: g++ 12 takes functions that do nothing else for pure, and leaves
/// out their calls.
template <class T>
HEDDLE_FN void prefetch(const T* array, u64 index) {
  [[maybe_unused]] const auto address = reinterpret_cast<std::uintptr_t>(array) + index * sizeof(T);
#if defined(__CUDA_ARCH__)
#elif defined(__x86_64__)
  asm volatile("prefetcht0 (%0)" : : "r"(address));
#elif defined(__aarch64__)
  asm volatile("prfm pldl1keep, [%0]" : : "r"(address));
#endif
}

}  // namespace heddle
