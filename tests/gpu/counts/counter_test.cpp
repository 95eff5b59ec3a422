// What kernels do is counted as warps would do it: on kernels of which it is plain.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/gpu/counts/control_kernels.hpp"
#include "tests/gpu/cuda_on_cpu/cuda_runtime.h"

namespace cuda_on_cpu::counts {
namespace {

/// With a counter that has seen nothing yet: each thread has a device.
void on_own_device(const std::function<void(Counter&)>& body) {
  std::thread([&] { body(counter_of_device()); }).join();
}

/// Of all accesses.
Done sum_of(Control control) {
  Done sum;
  on_own_device([&](Counter& counter) {
    run(control, counter);
    for (std::size_t p = 0; p < counter.done()[0].size(); ++p) {
      if (!counter.places()[p].is_access) continue;
      const Done& done = counter.done()[0][p];
      sum.warps += done.warps;
      sum.lanes += done.lanes;
      for (unsigned use = 0; use < races::kUses; ++use) {
        sum.sectors[use] += done.sectors[use];
        sum.of_block[use] += done.of_block[use];
        sum.of_tick[use] += done.of_tick[use];
      }
    }
  });
  return sum;
}

using Uses = std::array<uint64_t, races::kUses>;  // read, written, updated

TEST(Counter, SectorsOfAWarp) {
  const Done side_by_side = sum_of(Control::write_side_by_side);
  EXPECT_EQ(side_by_side.warps, 4u);
  EXPECT_EQ(side_by_side.lanes, 128u);
  EXPECT_EQ(side_by_side.sectors, (Uses{0, 16, 0}));
  EXPECT_EQ(sum_of(Control::write_apart).sectors, (Uses{0, 128, 0}));
  const Done every_other = sum_of(Control::write_every_other);
  EXPECT_EQ(every_other.warps, 4u);
  EXPECT_EQ(every_other.lanes, 64u);
  EXPECT_EQ(every_other.sectors, (Uses{0, 16, 0}));
}

TEST(Counter, WhatABlockHasReadItNeedNotReadAgain) {
  const Done read = sum_of(Control::read_one_word);
  EXPECT_EQ(read.warps, 8u) << "2 blocks, 2 warps, 2 reads";
  EXPECT_EQ(read.sectors, (Uses{8, 0, 0}));
  EXPECT_EQ(read.of_block, (Uses{2, 0, 0}));
  EXPECT_EQ(read.of_tick, (Uses{1, 0, 0}));
}

TEST(Counter, AtomicsAreUpdates) {
  const Done updated = sum_of(Control::count_atomically);
  EXPECT_EQ(updated.sectors, (Uses{0, 0, 4}));
  EXPECT_EQ(updated.of_tick, (Uses{0, 0, 1}));
}

struct Loop {
  uint64_t warps = 0, lanes = 0;  // passes through basic blocks
  Chain chain;
};
Loop loop_of(unsigned lane, unsigned passes) {
  Loop loop;
  on_own_device([&](Counter& counter) {
    counter.latencies[0] = {2, 0, 0, 0, 20, true};
    counter.latencies[1] = {5, 0, 0, 0, 40, false};
    run_loop(lane, passes, counter);
    for (const Done& done : counter.done()[0]) {
      loop.warps += done.warps;
      loop.lanes += done.lanes;
    }
    loop.chain = counter.chains().back();
  });
  return loop;
}

TEST(Counter, AWarpGoesRoundForOneLane) {
  const Loop never = loop_of(3, 0), one_lane = loop_of(3, 100), other_warp = loop_of(40, 100);
  const uint64_t steps = one_lane.warps - never.warps;
  EXPECT_GE(steps, 100u);
  EXPECT_EQ(one_lane.lanes - never.lanes, steps) << "one lane of 32 is useful";
  EXPECT_EQ(other_warp.warps, one_lane.warps);
}

TEST(Counter, TheLongestPathIsThatOfOneWarp) {
  const Chain never = loop_of(3, 0).chain, one = loop_of(3, 100).chain, longer = loop_of(3, 200).chain;
  EXPECT_EQ(one.barriers, 1u);
  EXPECT_DOUBLE_EQ(longer.instructions - one.instructions, one.instructions - never.instructions);
  EXPECT_DOUBLE_EQ(one.cycles[0], one.instructions * 2 + 20);
  EXPECT_DOUBLE_EQ(one.cycles[1], one.instructions * 5 + 40);
}

}  // namespace
}  // namespace cuda_on_cpu::counts
