#include "tests/gpu/races/control_kernels.hpp"

#include <cuda_runtime.h>

namespace cuda_on_cpu::races {
namespace {

__global__ void write_all(unsigned char* x, unsigned bytes) {
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) x[i] = 1;
}
__global__ void write_own_byte(unsigned char* x) { x[blockIdx.x] = 1; }
__global__ void read_next(const unsigned char* x, unsigned char* y) { y[blockIdx.x * 8] = x[blockIdx.x + 1]; }
__global__ void write_first_read_all(unsigned* x, unsigned* y) {
  if (blockIdx.x == 0 && threadIdx.x == 0) x[0] = 1;
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[0];
}
__global__ void count(unsigned* x) { atomicAdd(x, 1u); }
__global__ void count_and_read(unsigned* x, unsigned* y) {
  atomicAdd(x, 1u);
  y[blockIdx.x * blockDim.x + threadIdx.x] = *x;
}
struct Big {
  unsigned long words[5];
};
__global__ void copy_shifted(Big* x) { x[blockIdx.x] = x[blockIdx.x + 1]; }

/// Two streams, an event, and memory; launches have 4 blocks of 4 lanes.
class TwoStreams {
 public:
  TwoStreams() {
    for (cudaStream_t& stream : streams_) cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
    cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    for (void** x : {&x_, &y_}) cudaMalloc(x, 4096);
  }
  ~TwoStreams() {
    for (void* x : {x_, y_}) cudaFree(x);
    cudaEventDestroy(event_);
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  TwoStreams(const TwoStreams&) = delete;
  TwoStreams& operator=(const TwoStreams&) = delete;

  template <class... Parameters, class... Arguments>
  void launch(unsigned stream, void (*kernel)(Parameters...), Arguments... arguments) {
    launch_blocks(4, stream, kernel, arguments...);
  }
  template <class... Parameters, class... Arguments>
  void launch_blocks(unsigned blocks, unsigned stream, void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchConfig_t config;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(4);
    config.stream = streams_[stream];
    cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
  }
  void after(unsigned stream, unsigned other) {
    cudaEventRecord(event_, streams_[other]);
    cudaStreamWaitEvent(streams_[stream], event_, 0);
  }
  void wait(unsigned stream) { cudaStreamSynchronize(streams_[stream]); }
  void download(unsigned stream) {
    char bytes[8];
    cudaMemcpyAsync(bytes, x_, sizeof bytes, cudaMemcpyDeviceToHost, streams_[stream]);
  }
  unsigned char* bytes() { return static_cast<unsigned char*>(x_); }
  unsigned char* other_bytes() { return static_cast<unsigned char*>(y_); }
  unsigned* words() { return static_cast<unsigned*>(x_); }
  unsigned* other_words() { return static_cast<unsigned*>(y_); }

  /// Records `work` as a graph and launches it twice.
  void as_graph(const std::function<void()>& work) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal);
    work();
    cudaStreamEndCapture(streams_[0], &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, streams_[0]);
    cudaGraphDestroy(graph);
    cudaGraphExecDestroy(exec);
  }

 private:
  cudaStream_t streams_[2];
  cudaEvent_t event_;
  void *x_, *y_;
};

Control control(const char* name, bool races, const std::function<void(TwoStreams&)>& body) {
  return {name,
          [body] {
            TwoStreams m;
            body(m);
          },
          races};
}

}  // namespace

std::vector<Control> controls() {
  return {
      control("two blocks write the same bytes", true, [](auto& m) { m.launch(0, write_all, m.bytes(), 1); }),
      control("the lanes of one block do", false, [](auto& m) { m.launch_blocks(1, 0, write_all, m.bytes(), 9); }),
      control("blocks write bytes side by side", false, [](auto& m) { m.launch(0, write_own_byte, m.bytes()); }),
      control("one writes what all read", true,
              [](auto& m) { m.launch(0, write_first_read_all, m.words(), m.other_words()); }),
      control("one writes what another has read, a struct at a time", true,
              [](auto& m) { m.launch(0, copy_shifted, reinterpret_cast<Big*>(m.bytes())); }),
      control("all count atomically", false, [](auto& m) { m.launch(0, count, m.words()); }),
      control("all count atomically and read plainly", true,
              [](auto& m) { m.launch(0, count_and_read, m.words(), m.other_words()); }),
      control("a launch reads what the one before wrote", false,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.launch(0, read_next, m.bytes(), m.other_bytes());
              }),
      control("a launch on another stream does", true,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.launch(1, read_next, m.bytes(), m.other_bytes());
              }),
      control("a launch on another stream does, after an event", false,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.after(1, 0);
                m.launch(1, read_next, m.bytes(), m.other_bytes());
              }),
      control("a launch on another stream does, after the host has waited", false,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.wait(0);
                m.launch(1, read_next, m.bytes(), m.other_bytes());
              }),
      control("a copy on another stream does", true,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.download(1);
              }),
      control("a copy on the same stream does", false,
              [](auto& m) {
                m.launch(0, write_own_byte, m.bytes());
                m.download(0);
              }),
      control("a graph that forks and joins", false,
              [](auto& m) {
                m.as_graph([&] {
                  m.launch(0, write_own_byte, m.bytes());
                  m.after(1, 0);
                  m.launch(1, read_next, m.bytes(), m.other_bytes());
                  m.after(0, 1);
                });
              }),
      control("a graph whose branches share a byte", true,
              [](auto& m) {
                m.as_graph([&] {
                  m.after(1, 0);
                  m.launch(0, write_own_byte, m.bytes());
                  m.launch(1, read_next, m.bytes(), m.other_bytes());
                  m.after(0, 1);
                });
              }),
  };
}

}  // namespace cuda_on_cpu::races
