// The streams of a backend, on the device that is current when they are made.
#pragma once

#include "kernels/backends/gpu/device_memory.cuh"

namespace heddle {

/// Blocks of the second stream have priority over those of the others.
class Streams {
 public:
  Streams() {
    int last = 0, first = 0;  // a smaller number is a higher priority
    cuda_check(cudaDeviceGetStreamPriorityRange(&last, &first), "asking for the priorities of streams");
    for (u32 i = 0; i < 3; ++i)
      cuda_check(cudaStreamCreateWithPriority(&streams_[i], cudaStreamNonBlocking, i == 1 ? first : last),
                 "creating a stream");
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
