// Device memory that frees itself, and a check of CUDA calls that names the one that failed.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("gpu: ") + what + " failed: " + cudaGetErrorString(status));
}

/// Runs a kernel on a stream; does nothing when `blocks` is 0.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), u32 blocks, u32 threads, u64 shared_bytes, cudaStream_t stream,
            const Arguments&... arguments) {
  if (blocks == 0) return;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  cuda_check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launching a kernel");
}

/// An allocation on the current device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(u64 bytes) { cuda_check(cudaMalloc(&memory_, bytes), "allocating device memory"); }
  ~DeviceMemory() { cudaFree(memory_); }
  DeviceMemory(DeviceMemory&& other) noexcept : memory_(other.memory_) { other.memory_ = nullptr; }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  template <class T = void>
  T* get() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

/// Memory of the host that the device reads and writes at full speed.
class PinnedMemory {
 public:
  explicit PinnedMemory(u64 bytes) { cuda_check(cudaMallocHost(&memory_, bytes), "allocating pinned memory"); }
  ~PinnedMemory() { cudaFreeHost(memory_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  template <class T = void>
  T* get() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace heddle
