// Bit scans that compile to one instruction on CPU and GPU.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

HEDDLE_FN u32 lowest_bit(u32 x) {
#if defined(__CUDA_ARCH__)
  return static_cast<u32>(__ffs(static_cast<int>(x)) - 1);
#else
  return static_cast<u32>(__builtin_ctz(x));
#endif
}

HEDDLE_FN u32 lowest_bit(u64 x) {
#if defined(__CUDA_ARCH__)
  return static_cast<u32>(__ffsll(static_cast<long long>(x)) - 1);
#else
  return static_cast<u32>(__builtin_ctzll(x));
#endif
}

}  // namespace heddle
