// The streams of a backend, on the device that is current where they are made.
#pragma once

#include "kernels/backends/gpu/device_memory.cuh"

namespace heddle {

class Streams {
 public:
  Streams() {
    for (cudaStream_t& stream : streams_)
      cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  ~Streams() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  cudaStream_t operator[](u32 i) const { return streams_[i]; }

 private:
  cudaStream_t streams_[3] = {};
};

}  // namespace heddle
