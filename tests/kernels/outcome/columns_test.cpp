// How what several parts know of a collective or a message becomes one.
#include <gtest/gtest.h>

#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

TEST(Columns, PartsJoin) {
  CollectiveOutcome all, none;
  join(all, {5, 9, -1, -1, 0});
  join(all, none);
  join(all, {3, 4, 20, 30, 2});
  join(all, {6, 7, 10, 40, 1});
  EXPECT_EQ(all, (CollectiveOutcome{3, 9, 10, 40, 3}));
  join(none, CollectiveOutcome());
  EXPECT_EQ(none, CollectiveOutcome()) << "never stays never";
}

TEST(Columns, WhatOnePartKnowsIsKept) {
  MessageOutcome message;
  join(message, {{.start_ps = 0, .acked_ps = 70, .retransmitted_packets = 2}, {}, 0, 0});
  join(message, {{}, {.received_ps = 60, .ecn_marks = 5, .cnps = 4}, 4096, -1});
  EXPECT_EQ(message, (MessageOutcome{{.start_ps = 0, .acked_ps = 70, .retransmitted_packets = 2},
                                     {.received_ps = 60, .ecn_marks = 5, .cnps = 4},
                                     4096,
                                     0}));
}

TEST(Columns, EveryElementOfAnArrayJoins) {
  IterationOutcome a, b;
  for (u32 g = 0; g < kGroups; ++g) {
    a.waited_ps[g] = a.max_waited_ps[g] = g;
    b.waited_ps[g] = b.max_waited_ps[g] = 3;
  }
  join(a, b);
  for (u32 g = 0; g < kGroups; ++g) {
    EXPECT_EQ(a.waited_ps[g], g + 3);
    EXPECT_EQ(a.max_waited_ps[g], std::max(g, 3u));
  }
}

}  // namespace
}  // namespace heddle
