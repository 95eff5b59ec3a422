// The clock kernel alone: thousands of rings, more than it has lanes, are free after the tick in which they were
// retired, in the order of a CPU.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kernels/backends/gpu/ticks.cuh"
#include "kernels/team/serial.hpp"

namespace heddle {
namespace {

/// The free lists of a pool.
struct Stacks {
  std::vector<u32> free = std::vector<u32>(u64{kRingClasses} * kFreeStackEntries), retired = free;
  std::vector<i32> free_count = std::vector<i32>(kRingClasses), retired_count = free_count;

  void add_to(RingPool& pool) {
    pool.free_base = free.data();
    pool.free_count = free_count.data();
    pool.retired_base = retired.data();
    pool.retired_count = retired_count.data();
  }
};

Stacks used() {
  Stacks stacks;
  std::iota(stacks.free.begin(), stacks.free.end(), 1u);
  std::iota(stacks.retired.begin(), stacks.retired.end(), 1'000'000'000u);
  for (u32 c = 0; c < kRingClasses; ++c) {
    stacks.free_count[c] = static_cast<i32>(c * 7) - 20;
    stacks.retired_count[c] = static_cast<i32>(c % 3 == 1 ? 3000 + c : c % 3);
  }
  return stacks;
}

TEST(GpuClock, RetiredRingsAreFreeInTheOrderOfTheCpu) {
  Stacks on_cpu = used(), on_gpu = used();
  RingPool pool;
  on_cpu.add_to(pool);
  u32 first[kRingClasses + 1];
  merge_retired_rings(Serial(nullptr), pool, first);

  View v;
  u32 exhausted = 0;
  Failure failure;
  on_gpu.add_to(v.pool);
  v.pool.exhausted = &exhausted;
  v.failure = &failure;
  u64 events = 0;
  Clock clock;
  clock.tick = {0, 10, 0};
  clock.tick_ps = 10;
  clock.until = 100;
  clock.next_ps = 15;
  cudaStream_t stream = nullptr;
  launch(run_clock, 1, kClockThreads, 0, stream, v, &clock, EventBuffer{nullptr, 0, &events});
  EXPECT_TRUE(on_gpu.free == on_cpu.free);
  EXPECT_EQ(on_gpu.free_count, on_cpu.free_count);
  EXPECT_EQ(on_gpu.retired_count, on_cpu.retired_count);
  EXPECT_EQ(on_gpu.retired_count, std::vector<i32>(kRingClasses, 0));
  EXPECT_EQ(clock.ticks, 1u);
  EXPECT_EQ(clock.tick.from, 10);
  EXPECT_EQ(clock.tick.parity, 1u);
}

}  // namespace
}  // namespace heddle
