// The part of CUDA that kernels/backends/gpu uses, on the CPU: memory is the heap, streams do their work at once,
// graphs keep it for later. Files that include the toolkit's header find this one. One device, calls from one thread at
// a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "tests/gpu/cuda_on_cpu/lanes.hpp"
#include "tests/gpu/cuda_on_cpu/observer.hpp"

// Language.
#define __host__
#define __device__
#define __global__ __attribute__((unused))
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static thread_local  // blocks of a device run one after the other
#define HEDDLE_DYNAMIC_SHARED(name) auto* const name = cuda_on_cpu::device().shared.data()

struct dim3 {
  unsigned x = 1;
  dim3() = default;
  explicit dim3(unsigned n) : x(n) {}
};

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorNoDevice, cudaErrorInsufficientDriver };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;

namespace cuda_on_cpu {

using Work = std::vector<std::function<void()>>;
struct Event {
  std::shared_ptr<Moment> moment = std::make_shared<Moment>();
  std::chrono::steady_clock::time_point when;
};

/// The GPUs of the machine, for tests of the reaction to them.
struct Machine {
  cudaError_t status = cudaSuccess;
  int count = 1, driver = 13000, multiprocessors = 1;
};
Machine& machine();

struct Device {
  unsigned block_index = 0, block_size = 0;
  std::vector<unsigned long> shared;  // shared memory of the running block
  std::unique_ptr<Work> capture;      // null: work is done at once
  const std::unique_ptr<Observer> observer = make_observer();
};
Device& device();

/// Memory of the device. Small pieces are not zero, so that reads of unset memory show; large ones, which are mapped
/// and hold room rather than state, cost nothing until they are used.
void* allocate(std::size_t bytes);
void release(void* memory);
void fill(void* memory, int value, std::size_t bytes);

/// Calls a function of the observer, if there is one.
template <class... Parameters, class... Arguments>
void tell(void (Observer::*what)(Parameters...), Arguments&&... arguments) {
  if (Observer* const observer = device().observer.get()) (observer->*what)(arguments...);
}

inline cudaError_t enqueue(std::function<void()> work) {
  if (device().capture) {
    device().capture->push_back(std::move(work));
  } else {
    work();
  }
  return cudaSuccess;
}

void run_blocks(const Launch& launch, const std::function<void()>& kernel);

/// A lane's own indices, in x.
inline unsigned lane_index() { return lanes().lane(); }
inline unsigned block_index() { return device().block_index; }
inline unsigned block_size() { return device().block_size; }
template <unsigned (*now)()>
struct Seen {
  struct X {
    operator unsigned() const { return now(); }
  } x;
};

}  // namespace cuda_on_cpu

using cudaStream_t = cuda_on_cpu::Stream*;
using cudaEvent_t = cuda_on_cpu::Event*;
using cudaGraph_t = cuda_on_cpu::Work*;
using cudaGraphExec_t = cuda_on_cpu::Work*;

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

// Names that kernels use.
inline constexpr cuda_on_cpu::Seen<cuda_on_cpu::lane_index> threadIdx;
inline constexpr cuda_on_cpu::Seen<cuda_on_cpu::block_index> blockIdx;
inline constexpr cuda_on_cpu::Seen<cuda_on_cpu::block_size> blockDim;
inline void __syncthreads() { cuda_on_cpu::lanes().wait(cuda_on_cpu::Barrier::block); }
inline int __syncthreads_or(int value) { return cuda_on_cpu::lanes().any(value != 0); }
inline unsigned __shfl_up_sync(unsigned, unsigned value, unsigned delta) {
  return cuda_on_cpu::lanes().shuffle_up(value, delta);
}
template <class T>
T atomicAdd(T* x, T by) {
  return __atomic_fetch_add(x, by, __ATOMIC_RELAXED);
}
template <class T>
T atomicMin(T* x, T to) {
  T seen = __atomic_load_n(x, __ATOMIC_RELAXED);
  while (to < seen && !__atomic_compare_exchange_n(x, &seen, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}
template <class T>
T atomicMax(T* x, T to) {
  T seen = __atomic_load_n(x, __ATOMIC_RELAXED);
  while (seen < to && !__atomic_compare_exchange_n(x, &seen, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}
using std::min;

// Functions of the host. Those that break the capture of another thread of the process are absent: to wait for the
// whole device, and copies without a stream.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
  const unsigned blocks = config->gridDim.x, threads = config->blockDim.x;
  if (blocks == 0 || threads == 0 || threads > 1024) return cudaErrorInvalidValue;
  const cuda_on_cpu::Launch launch{config->stream, reinterpret_cast<const void*>(kernel), blocks, threads,
                                   config->dynamicSmemBytes};
  return cuda_on_cpu::enqueue([=] { cuda_on_cpu::run_blocks(launch, [&] { kernel(arguments...); }); });
}

inline const char* cudaGetErrorString(cudaError_t) { return "invalid value"; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  return *count = cuda_on_cpu::machine().count, cuda_on_cpu::machine().status;
}
inline cudaError_t cudaDriverGetVersion(int* version) { return *version = cuda_on_cpu::machine().driver, cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidValue; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = cuda_on_cpu::machine().multiprocessors, cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = *total_bytes = std::size_t{256} << 20;
  return cudaSuccess;
}

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  *memory = static_cast<T*>(cuda_on_cpu::allocate(bytes));
  return *memory == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) { return cuda_on_cpu::release(memory), cudaSuccess; }
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  using cuda_on_cpu::Way;
  if (bytes != 0) std::memcpy(to, from, bytes);
  cuda_on_cpu::tell(&cuda_on_cpu::Observer::copies, stream, to, from, bytes,
                    kind == cudaMemcpyDeviceToHost ? Way::to_host : Way::to_device);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  cuda_on_cpu::fill(memory, value, bytes);
  cuda_on_cpu::tell(&cuda_on_cpu::Observer::copies, stream, memory, nullptr, bytes, cuda_on_cpu::Way::to_device);
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetStreamPriorityRange(int* last, int* first) {
  return *last = 0, *first = -5, cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return *stream = new cuda_on_cpu::Stream, cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (cuda_on_cpu::device().capture) return cudaErrorInvalidValue;
  cuda_on_cpu::tell(&cuda_on_cpu::Observer::host_waits, stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return cuda_on_cpu::enqueue(
      [=, moment = event->moment] { cuda_on_cpu::tell(&cuda_on_cpu::Observer::waits, stream, *moment); });
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new cuda_on_cpu::Event, cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->when = std::chrono::steady_clock::now();
  return cuda_on_cpu::enqueue(
      [=, moment = event->moment] { cuda_on_cpu::tell(&cuda_on_cpu::Observer::records, stream, *moment); });
}
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  return *ms = std::chrono::duration<float, std::milli>(to->when - from->when).count(), cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, unsigned bytes) {
  return bytes <= 227 * 1024 ? cudaSuccess : cudaErrorInvalidValue;
}

inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  cuda_on_cpu::device().capture = std::make_unique<cuda_on_cpu::Work>();
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  return *graph = cuda_on_cpu::device().capture.release(), cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned) {
  return *exec = new cuda_on_cpu::Work(*graph), cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
  for (const std::function<void()>& work : *exec) work();
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return delete exec, cudaSuccess; }
