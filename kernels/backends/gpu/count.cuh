// Counts the GPUs that the CUDA runtime finds.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels/backends/gpu/device_memory.cuh"

namespace heddle {

/// The text of a version as CUDA numbers it: 12040 -> "12.4".
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Number of multiprocessors of the current device.
inline u32 count_multiprocessors() {
  int device = 0, count = 0;
  cuda_check(cudaGetDevice(&device), "asking for the current GPU");
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  return static_cast<u32>(count);
}

/// See backends/count_gpus.hpp. This must be the first call of the program that uses CUDA.
inline u32 count_gpus_of_machine() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // lazy loading would load kernels during capture, or in the first tick
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return static_cast<u32>(count);
  if (status == cudaErrorNoDevice) return 0;
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return 0;  // no driver is installed
  cudaRuntimeGetVersion(&runtime);
  throw std::runtime_error(std::string("gpu: the driver cannot say which GPUs there are: ") +
                           cudaGetErrorString(status) + " (it knows CUDA " + cuda_version_text(driver) +
                           ", this program needs " + cuda_version_text(runtime) +
                           "); update or load the driver, look at nvidia-smi, or use --device cpu");
}

}  // namespace heddle
