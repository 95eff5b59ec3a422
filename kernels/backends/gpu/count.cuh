// How many GPUs there are, where the CUDA runtime can say.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

/// 12040 -> "12.4", as CUDA numbers its versions.
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// See backends/count_gpus.hpp. The first call of the program that asks anything of CUDA.
inline u32 count_gpus_of_machine() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // else kernels are loaded while ticks are captured, or in the first tick
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) return static_cast<u32>(count);
  if (status == cudaErrorNoDevice) return 0;
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return 0;  // none is installed
  cudaRuntimeGetVersion(&runtime);
  throw std::runtime_error(std::string("gpu: the driver cannot say which GPUs there are: ") +
                           cudaGetErrorString(status) + " (it knows CUDA " + cuda_version_text(driver) +
                           ", this program needs " + cuda_version_text(runtime) +
                           "); update or load the driver, look at nvidia-smi, or use --device cpu");
}

}  // namespace heddle
