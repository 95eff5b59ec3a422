// Times the kernels of a few ticks with events between them.
#pragma once

#include <vector>

#include "kernels/backends/gpu/device_memory.cuh"
#include "kernels/backends/gpu/kernel_times.hpp"

namespace heddle {

class TimedTicks {
 public:
  TimedTicks(KernelTimes& times, u32 ticks) : times_(times), events_(ticks * kMarks) {
    for (cudaEvent_t& event : events_) cuda_check(cudaEventCreateWithFlags(&event, 0), "creating an event");
  }
  ~TimedTicks() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  TimedTicks(const TimedTicks&) = delete;
  TimedTicks& operator=(const TimedTicks&) = delete;

  u32 ticks() const { return static_cast<u32>(events_.size() / kMarks); }
  /// Marks the start of kernel `kernel` of a tick on the stream of all kernels; kTickKernelNames.size() marks the end
  /// of the tick.
  void mark(u32 tick, u32 kernel, cudaStream_t stream) {
    cuda_check(cudaEventRecord(events_[tick * kMarks + kernel], stream), "recording");
  }
  void note_launch(u32 kernel) { times_.launched[kernel] = true; }
  /// Adds the times when the stream has run all ticks. Ticks beyond the first `ran` had no work.
  void add(u64 ran) {
    for (u64 i = 0; i < ran * kMarks; ++i) {
      if (i % kMarks == kMarks - 1 || !times_.launched[i % kMarks]) continue;
      float ms = 0;
      cuda_check(cudaEventElapsedTime(&ms, events_[i], events_[i + 1]), "asking how long a kernel took");
      times_.ms[i % kMarks] += ms;
    }
    times_.ticks += ran;
  }

 private:
  static constexpr u32 kMarks = kTickKernelNames.size() + 1;

  KernelTimes& times_;
  std::vector<cudaEvent_t> events_;
};

}  // namespace heddle
