// Copies between the host and the device, on one stream. A copy is complete when its call returns.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/backends/gpu/device_memory.cuh"
#include "kernels/state/arrays.hpp"

namespace heddle {

class Copies {
 public:
  explicit Copies(cudaStream_t stream) : stream_(stream) {}

  void upload(void* device, const void* host, u64 bytes, const char* what) const {
    copy(device, host, bytes, cudaMemcpyHostToDevice, what);
  }
  void download(void* host, const void* device, u64 bytes, const char* what) const {
    copy(host, device, bytes, cudaMemcpyDeviceToHost, what);
  }
  /// Clears the memory before the next operation on the stream.
  void clear(void* device, u64 bytes, const char* what) const {
    cuda_check(cudaMemsetAsync(device, 0, bytes, stream_), (std::string("clearing ") + what).c_str());
  }

  // Uploads only the non-zero blocks of a sparse array; downloads do not touch host pages that are zero on both sides.
  void upload_sparse(void* device, const ArrayInfo& array) const {
    clear(device, array.bytes, array.name.c_str());
    const char* host = static_cast<const char*>(array.memory);
    for (u64 at = 0; at < array.bytes; at += kBlockBytes) {
      const u64 bytes = std::min(kBlockBytes, array.bytes - at);
      if (!all_zero(host + at, bytes)) upload(static_cast<char*>(device) + at, host + at, bytes, array.name.c_str());
    }
  }
  void download_sparse(const ArrayInfo& array, const void* device) const {
    std::vector<char> block(std::min(kBlockBytes, array.bytes));
    char* host = static_cast<char*>(array.memory);
    for (u64 at = 0; at < array.bytes; at += block.size()) {
      const u64 bytes = std::min<u64>(block.size(), array.bytes - at);
      download(block.data(), static_cast<const char*>(device) + at, bytes, array.name.c_str());
      for (u64 page = 0; page < bytes; page += kPageBytes) {
        const u64 size = std::min(kPageBytes, bytes - page);
        if (!all_zero(&block[page], size) || !all_zero(host + at + page, size))
          std::memcpy(host + at + page, &block[page], size);
      }
    }
  }

 private:
  static constexpr u64 kPageBytes = 4096, kBlockBytes = u64{16} << 20;

  void copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind, const char* what) const {
    const std::string doing = std::string("copying ") + what;
    cuda_check(cudaMemcpyAsync(to, from, bytes, kind, stream_), doing.c_str());
    cuda_check(cudaStreamSynchronize(stream_), doing.c_str());
  }
  static bool all_zero(const char* bytes, u64 count) {
    return count == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count - 1) == 0);
  }

  cudaStream_t stream_;
};

}  // namespace heddle
