// The one spelling of "runs on the host and on the device".
#pragma once

#if defined(__CUDACC__)
#define HEDDLE_FN __host__ __device__ __forceinline__
#else
#define HEDDLE_FN inline __attribute__((always_inline))
#endif
