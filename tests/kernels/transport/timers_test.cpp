// The heap of a NIC's timers: sooner first, then the lower sender.
#include "kernels/transport/timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace heddle {
namespace {

TEST(Timers, PopInOrder) {
  std::mt19937 random(3);
  std::vector<Timer> heap(64), expected;
  u32 count = 0;
  const auto by_time = [](const Timer& a, const Timer& b) {
    return std::tie(a.due_ps, a.sender) < std::tie(b.due_ps, b.sender);
  };
  for (u32 step = 0; step < 5000; ++step) {
    if (count < 64 && (count == 0 || random() % 2 == 0)) {
      const Timer timer{static_cast<TimePs>(random() % 20), static_cast<u32>(random() % 1000)};
      push_timer(heap.data(), count, timer);
      expected.insert(std::upper_bound(expected.begin(), expected.end(), timer, by_time), timer);
    } else {
      const Timer top = pop_timer(heap.data(), count);
      ASSERT_EQ(top.due_ps, expected.front().due_ps);
      ASSERT_EQ(top.sender, expected.front().sender);
      expected.erase(expected.begin());
    }
    ASSERT_EQ(count, expected.size());
  }
}

}  // namespace
}  // namespace heddle
