// HEDDLE_FN is the one spelling of "runs on the host and on the device". HEDDLE_RARE_FN is the same but never inlined,
// so that rare work takes no registers and no code size from the loop that calls it.
#pragma once

#if defined(__CUDACC__)
#define HEDDLE_DYNAMIC_SHARED(name) extern __shared__ u64 name[]  // scratch of a block, sized at launch
#define HEDDLE_FN __host__ __device__ __forceinline__
#define HEDDLE_RARE_FN __host__ __device__ __noinline__ inline
#define HEDDLE_INLINE_LAMBDA
#else
#define HEDDLE_FN inline __attribute__((always_inline))
#define HEDDLE_RARE_FN inline __attribute__((noinline))
#define HEDDLE_INLINE_LAMBDA __attribute__((always_inline))  // of a loop body that runs once per packet
#endif
