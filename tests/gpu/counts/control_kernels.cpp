#include "tests/gpu/counts/control_kernels.hpp"

#include <cuda_runtime.h>

namespace cuda_on_cpu::counts {
namespace {

constexpr unsigned kLanes = 64, kBlocks = 2;

__global__ void write_every(unsigned* x, unsigned words, unsigned lanes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % lanes == 0) x[i * words] = i;
}
__global__ void read_twice(const unsigned* x, unsigned* sum) {
  unsigned seen = x[0];
  __syncthreads();
  asm volatile("" : : : "memory");
  seen += x[0];
  if (seen == 1) *sum = seen;
}
__global__ void count(unsigned* x) { atomicAdd(x, 1u); }
__global__ void go_round(unsigned lane, unsigned passes) {
  for (unsigned i = 0; threadIdx.x == lane && i < passes; ++i) asm volatile("" : : : "memory");
}

/// Memory of the device that is 0, and its launches.
class Memory {
 public:
  explicit Memory(Counter& counter) : counter_(counter) {
    cudaMalloc(&memory_, kBytes);
    cudaMemsetAsync(memory_, 0, kBytes, nullptr);
  }
  ~Memory() { cudaFree(memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  unsigned* words() const { return static_cast<unsigned*>(memory_); }
  template <class... Parameters, class... Arguments>
  void launch(unsigned blocks, void (*kernel)(Parameters...), Arguments... arguments) const {
    cudaLaunchConfig_t config;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(kLanes);
    counter_.counting = true;
    cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    counter_.counting = false;
  }

 private:
  static constexpr std::size_t kBytes = 1 << 16;
  Counter& counter_;
  void* memory_ = nullptr;
};

}  // namespace

void run(Control control, Counter& counter) {
  const Memory memory(counter);
  unsigned* const x = memory.words();
  switch (control) {
    case Control::write_side_by_side:
      return memory.launch(kBlocks, write_every, x, 1u, 1u);
    case Control::write_apart:
      return memory.launch(kBlocks, write_every, x, 8u, 1u);
    case Control::write_every_other:
      return memory.launch(kBlocks, write_every, x, 1u, 2u);
    case Control::read_one_word:
      return memory.launch(kBlocks, read_twice, x, x + 64);
    case Control::count_atomically:
      return memory.launch(kBlocks, count, x);
  }
}

void run_loop(unsigned lane, unsigned passes, Counter& counter) { Memory(counter).launch(1, go_round, lane, passes); }

}  // namespace cuda_on_cpu::counts
