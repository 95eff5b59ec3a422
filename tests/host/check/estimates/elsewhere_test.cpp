// How long a run takes on a GPU and on ranks, by simple laws.
#include "host/check/estimates/elsewhere.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Elsewhere, TheCasesThatWereMeasuredOnAGpuAreWithinAFactorOfTwoAndAHalf) {
  struct Case {
    const char* name;
    double hops_a_tick, million_hops_a_second;  // heddle-bench; tests/bench/PERFORMANCE.md, H200
  };
  for (const Case& one : {Case{"settled-24576-on", 397'600, 546}, Case{"permutation-24576-on", 701'900, 366},
                          Case{"permutation-1024-on", 31'880, 233}, Case{"trees-512", 13'220, 71.2},
                          Case{"permutation-128-on", 3'960, 48.4}, Case{"incast-1024", 2'364, 15.3},
                          Case{"ring-512", 131.7, 3.71}, Case{"one-rack-24576", 267, 3.19}}) {
    const double measured_s = one.hops_a_tick / one.million_hops_a_second / 1e6;
    const double ratio = gpu_s({.ticks = 1}, one.hops_a_tick) / measured_s;
    EXPECT_GT(ratio, 1 / 2.5) << one.name;
    EXPECT_LT(ratio, 2.5) << one.name;
  }
}

/// All ranks exchange with each other, or none.
Cut cut_of(u32 ranks, u64 most_work, bool exchanges) {
  Cut cut;
  cut.ranks = ranks;
  for (u32 rank = 0; rank < ranks; ++rank) {
    cut.load.emplace_back().work_parts = rank == 0 ? most_work : 100;
    for (u32 other = 0; exchanges && other < rank; ++other) cut.pairs.push_back({.a = other, .b = rank});
  }
  cut.cut_links = 10 * cut.pairs.size();
  cut.all_packet_parts = 1000;
  cut.exchange.period_ps = 1'000'000;
  return cut;
}

TEST(Elsewhere, RanksThatShareNothingTakeTheirPart) {
  const RunTime hour{.ticks = 1e6, .cpu_s = 3600};
  EXPECT_DOUBLE_EQ(ranks_s(hour, cut_of(4, 100, false), 1'000'000), 900);
  EXPECT_DOUBLE_EQ(ranks_s(hour, cut_of(2, 300, false), 1'000'000), 2700);  // one has three quarters of the work
}

TEST(Elsewhere, ExchangesTakeTheirTimeHoweverManyRanksThereAre) {
  const RunTime hour{.ticks = 1e6, .cpu_s = 3600};
  Cut cut = cut_of(4, 100, true);  // three neighbours: 3 us of messages and 2 of the reduction
  EXPECT_DOUBLE_EQ(ranks_s(hour, cut, 1'000'000), 900 + 5);
  EXPECT_DOUBLE_EQ(ranks_s(hour, cut, 4'000'000), 900 + 20);  // ranks exchange four times a tick
  cut.cut_packet_parts = 400;
  EXPECT_DOUBLE_EQ(ranks_s(hour, cut, 1'000'000), 900 * 1.1 + 5);
}

}  // namespace
}  // namespace heddle
