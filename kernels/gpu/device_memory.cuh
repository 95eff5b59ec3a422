// Device memory that frees itself, and CUDA calls that say what failed.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("gpu: ") + what + " failed: " + cudaGetErrorString(status));
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

}  // namespace heddle
