// The execution policy of device-wide algorithms (team/algorithms.hpp): in order on a stream. They are done when they
// return.
#pragma once

#include <cuda_runtime.h>

#include <thrust/execution_policy.h>

#include <type_traits>

#if defined(__CUDACC__)
#include <thrust/system/cuda/execution_policy.h>
#endif

namespace heddle {

#if defined(__CUDACC__)
using DeviceWide = decltype(thrust::cuda::par.on(cudaStream_t{}));
inline DeviceWide device_wide(cudaStream_t stream) { return thrust::cuda::par.on(stream); }
#else  // on the CPU, which plays the device in tests/gpu: streams run at once what is enqueued
using DeviceWide = std::remove_cv_t<decltype(thrust::device)>;
inline DeviceWide device_wide(cudaStream_t) { return thrust::device; }
#endif

}  // namespace heddle
