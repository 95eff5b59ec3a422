// Prefetches memory before it is needed.
#pragma once

#include <cstdint>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Prefetches the cache line at array + index, which need not exist. Does nothing on a GPU, where other warps run while
/// one waits. __builtin_prefetch does not do: g++ 12 treats functions that do nothing else as pure and removes their
/// calls.
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
