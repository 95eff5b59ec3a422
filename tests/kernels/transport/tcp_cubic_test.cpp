// CUBIC's arithmetic, by numbers worked by hand.
#include "kernels/transport/tcp_cubic.hpp"

#include <gtest/gtest.h>

#include "kernels/base/hash.hpp"
#include "tests/oracle/cubic.hpp"

namespace heddle {
namespace {

constexpr TimePs kSecondPs = 1'000'000'000'000;

TEST(Cubic, RootsAreRoundedDown) {
  for (const u64 k : {u64{0}, u64{1}, u64{2}, u64{1000}, u64{56'015}, u64{65'535}}) {
    EXPECT_EQ(cube_root(k * k * k), k);
    EXPECT_EQ(cube_root(k * k * k + 3 * k), k);
    if (k != 0) {
      EXPECT_EQ(cube_root(k * k * k - 1), k - 1);
    }
  }
}

/// From 70 of 100 segments the cubic takes cbrt(30 / 0.4) = 4.217 s to be back.
TEST(Cubic, ReturnsToItsLastMaximumAfterK) {
  TcpSender c;
  c.cwnd = 70;
  c.w_max = 100;
  cubic_begin_epoch(c, 0);
  EXPECT_EQ(c.cubic_origin, 100u);
  EXPECT_NEAR(c.cubic_k / 1024.0, 4.217, 0.003);
  EXPECT_NEAR(static_cast<double>(cubic_window(c, 0)), 70, 1);
  EXPECT_EQ(cubic_window(c, 4'217 * kSecondPs / 1000), 100);
  // 2 s later: 0.4 * 8 = 3.2 segments more.
  EXPECT_EQ(cubic_window(c, 6'217 * kSecondPs / 1000), 103);
  // Far away the time is cut off at 2^18 units, 256 s.
  EXPECT_EQ(cubic_window(c, 1000 * kSecondPs), cubic_window(c, 2000 * kSecondPs));
}

/// Above its last maximum there is nothing to return to: it grows from where it is.
TEST(Cubic, AboveItsLastMaximumItBeginsAtOnce) {
  TcpSender c;
  c.cwnd = 120;
  c.w_max = 100;
  cubic_begin_epoch(c, 3 * kSecondPs);
  EXPECT_EQ(c.cubic_origin, 120u);
  EXPECT_EQ(c.cubic_k, 0u);
  EXPECT_EQ(cubic_window(c, 5 * kSecondPs), 120 + 50);
}

/// Fast convergence: who is reduced below its last maximum leaves room for others.
TEST(Cubic, NotesLessThanItsWindowWhereItWasReducedBefore) {
  TcpSender c;
  c.cwnd = 100;
  cubic_note_window(c);
  EXPECT_EQ(c.w_max, 100u);
  c.cwnd = 80;
  cubic_note_window(c);
  EXPECT_EQ(c.w_max, 68u) << "80 * 0.85";
  EXPECT_EQ(c.w_prior, 80u);
}

/// In a short round trip the cubic stands still, and the window grows as New Reno's would, with 0.529 a round trip.
TEST(Cubic, GrowsLikeNewRenoWhereThatIsFaster) {
  TcpSender c;
  c.cwnd = 50;
  c.w_max = c.w_prior = 70;
  c.srtt_ps = kSecondPs / 10'000;
  const u32 round_trips = 10;
  for (u32 i = 0; i < round_trips; ++i) cubic_grow(c, c.cwnd, i * c.srtt_ps);
  EXPECT_NEAR(c.cwnd, 50 + 0.529 * round_trips, 1);
  c.w_prior = 0;  // beyond its window before the reduction: by 1
  const u32 then = c.cwnd;
  for (u32 i = 0; i < round_trips; ++i) cubic_grow(c, c.cwnd, (round_trips + i) * c.srtt_ps);
  EXPECT_NEAR(c.cwnd, then + round_trips, 1);
}

/// In long ones it follows the cubic, by at most half its window in a round trip.
TEST(Cubic, FollowsTheCubicInLongRoundTrips) {
  TcpSender c;
  c.cwnd = 700;
  c.w_max = c.w_prior = 1000;
  c.srtt_ps = kSecondPs / 5;
  TimePs t = 0;
  for (; t < 9 * kSecondPs; t += c.srtt_ps) cubic_grow(c, c.cwnd, t);  // k = cbrt(300 / 0.4) = 9.09 s
  EXPECT_NEAR(c.cwnd, 1000, 10);
  for (; t < 15 * kSecondPs; t += c.srtt_ps) cubic_grow(c, c.cwnd, t);
  EXPECT_NEAR(c.cwnd, 1000 + 0.4 * 5.91 * 5.91 * 5.91, 20);
}

/// Random worlds are over before the cubic moves. So here windows grow for minutes beside the oracle's.
TEST(Cubic, GrowsAsTheOracles) {
  const auto drawn = [](u64 what, u64 i, u64 below) { return hash64(what, Stream::workload, i) % below; };
  for (u64 seed = 0; seed < 300; ++seed) {
    TcpSender c;
    oracle::Cubic other;
    c.cwnd = 1 + static_cast<u32>(drawn(seed, 0, 20'000));
    u64 cwnd = c.cwnd, count = 0;
    TimePs t = 0;
    for (u64 i = 0; i < 300; ++i) {
      c.srtt_ps = static_cast<TimePs>(drawn(seed, 10 * i + 1, kSecondPs));
      t += static_cast<TimePs>(drawn(seed, 10 * i + 2, i % 3 == 0 ? 100 * kSecondPs : kSecondPs / 10));
      if (drawn(seed, 10 * i + 3, 20) == 0) {
        cubic_note_window(c);
        other.note(cwnd);
        c.cwnd = std::max(2u, static_cast<u32>((kCubicKeptQ10 * c.cwnd) >> 10));
        cwnd = std::max<u64>(2, oracle::cubic_rest(cwnd));
      }
      const u32 acked = 1 + static_cast<u32>(drawn(seed, 10 * i + 4, c.cwnd));
      cubic_grow(c, acked, t);
      other.grow(acked, t, c.srtt_ps, cwnd, count);
      ASSERT_EQ(c.cwnd, cwnd) << "seed " << seed << ", step " << i;
      ASSERT_EQ(c.count, count);
      if (c.cwnd > 60'000) c.cwnd = static_cast<u32>(cwnd = 60'000);
    }
  }
}

}  // namespace
}  // namespace heddle
