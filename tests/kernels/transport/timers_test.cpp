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
  Nic nic;
  const auto by_time = [](const Timer& a, const Timer& b) {
    return std::tie(a.due_ps, a.sender) < std::tie(b.due_ps, b.sender);
  };
  for (u32 step = 0; step < 5000; ++step) {
    if (nic.timers < 64 && (nic.timers == 0 || random() % 2 == 0)) {
      const Timer timer{static_cast<TimePs>(random() % 20), static_cast<u32>(random() % 1000)};
      push_timer(heap.data(), nic, timer);
      expected.insert(std::upper_bound(expected.begin(), expected.end(), timer, by_time), timer);
    } else {
      const Timer top = pop_timer(heap.data(), nic);
      ASSERT_EQ(top.due_ps, expected.front().due_ps);
      ASSERT_EQ(top.sender, expected.front().sender);
      expected.erase(expected.begin());
    }
    ASSERT_EQ(nic.timers, expected.size());
    ASSERT_EQ(nic.timer_ps, expected.empty() ? kNever : expected.front().due_ps);
  }
}

}  // namespace
}  // namespace heddle
