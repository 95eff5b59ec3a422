// Work queue of a tick: every item is taken once, by any worker, and each worker begins with its own items.
#include "kernels/backends/work_queue.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle {
namespace {

TEST(WorkQueue, AWorkerTakesItsOwnThenThatOfOthersInTurn) {
  WorkQueue queue({0, 3, 3, 8});
  for (u32 run = 0; run < 2; ++run) {
    queue.refill();
    std::vector<u32> taken;
    const auto take = [&](u32 i) { taken.push_back(i); };
    queue.take_own(2, 4, take);
    EXPECT_EQ(taken, (std::vector<u32>{3, 4, 5, 6, 7}));
    queue.take_others(2, 4, take);
    EXPECT_EQ(taken, (std::vector<u32>{3, 4, 5, 6, 7, 0, 1, 2}));
    queue.take_own(0, 4, take);
    queue.take_others(1, 4, take);
    EXPECT_EQ(taken.size(), 8) << "nothing was left";
  }
}

TEST(WorkQueue, WhatOneHasTakenIsNotForOthers) {
  WorkQueue queue({0, 4, 8});
  queue.refill();
  std::vector<u32> taken;
  queue.take_own(0, 1, [&](u32 i) {
    taken.push_back(i);
    if (i == 1) queue.take_others(1, 2, [&](u32 other) { taken.push_back(other + 10); });
  });
  EXPECT_EQ(taken, (std::vector<u32>{0, 1, 12, 13}));
}

TEST(WorkQueue, EverythingIsTakenOnceByManyAtATime) {
  constexpr u32 kWorkers = 4, kItems = 1000;
  WorkQueue queue({0, 10, 10, 600, kItems});
  for (u32 run = 0; run < 50; ++run) {
    queue.refill();
    std::vector<u32> taken(kItems);  // plain: no two workers have the same item
    std::vector<std::thread> workers;
    for (u32 w = 0; w < kWorkers; ++w) {
      workers.emplace_back([&, w] {
        queue.take_own(w, 3, [&](u32 i) { ++taken[i]; });
        queue.take_others(w, 3, [&](u32 i) { ++taken[i]; });
      });
    }
    for (std::thread& worker : workers) worker.join();
    ASSERT_EQ(taken, std::vector<u32>(kItems, 1));
  }
}

}  // namespace
}  // namespace heddle
