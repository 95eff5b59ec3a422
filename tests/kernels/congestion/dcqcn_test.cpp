// The reaction point evaluated lazily, against numbers worked out by hand and against every timer stepped one by one.
#include "kernels/congestion/dcqcn.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/congestion/dcqcn.hpp"

namespace heddle {
namespace {

constexpr u64 kLine = 400'000'000'000;
constexpr TimePs kUs = 1'000'000;

/// A packet starts at t; returns when the next one may.
TimePs start(Dcqcn& point, TimePs t, u32 wire_bytes) {
  point.on_start(t, wire_bytes);
  return point.next_timer(t, t, wire_bytes);
}

// hpcc at 400G: g 4/1024, alpha 1 us, decrease 4 us, increase 300 us, F 1, AI 80 Mb/s. CNP at 0: alpha stays 1 at 1 us
// (a CNP came), decays three times until 4 us: 1,036,335 / 2^20; cut to 400G - 400G * alpha / 2 = 202,334,785,462;
// halfway back to the target of 400G at 304 us and again at 604 us (stage 1 = F: the target is at line rate already).
TEST(Dcqcn, ByHand) {
  const PreparedDcqcn s{DcqcnSettings::preset("hpcc", kLine)};
  DcqcnState state;
  Dcqcn point(s, state, {kLine, false});
  EXPECT_FALSE(point.started());
  EXPECT_EQ(point.rate_bps(), kLine);
  point.on_signal(0);
  point.advance(4 * kUs - 1);
  EXPECT_EQ(point.rate_bps(), kLine);
  point.advance(4 * kUs);
  EXPECT_EQ(point.alpha_q20(), 1'036'335u);
  EXPECT_EQ(point.rate_bps(), 202'334'785'462u);
  point.advance(304 * kUs - 1);
  EXPECT_EQ(point.rate_bps(), 202'334'785'462u);
  point.advance(304 * kUs);
  EXPECT_EQ(point.rate_bps(), 301'167'392'731u);
  point.advance(604 * kUs);
  EXPECT_EQ(point.rate_bps(), 350'583'696'365u);
}

TEST(Dcqcn, AlphaDecaysInClosedForm) {
  const PreparedDcqcn s{DcqcnSettings::preset("hpcc", kLine)};
  EXPECT_EQ(Dcqcn::decayed_alpha(s, 1 << 20, 0), 1u << 20);
  EXPECT_EQ(Dcqcn::decayed_alpha(s, 1 << 20, 1), (1u << 20) - 4096);
  EXPECT_EQ(Dcqcn::decayed_alpha(s, 1 << 20, 1000), 20'932u) << "2^20 * (1 - 4/1024)^1000 = 20,933.6";
  EXPECT_EQ(Dcqcn::decayed_alpha(s, 1 << 20, 0x7fffffff), 0u);
}

TEST(Dcqcn, PacesByTheRate) {
  const PreparedDcqcn s{DcqcnSettings::preset("hpcc", kLine)};
  DcqcnState state;
  Dcqcn point(s, state, {kLine, false});
  EXPECT_EQ(start(point, 1000, 4198), 1000 + 83'960) << "at line rate: one serialisation";
}

TEST(Dcqcn, ARateThatRecoversShortensTheWait) {
  const PreparedDcqcn s{DcqcnSettings::preset("connectx", kLine)};
  DcqcnState state;
  Dcqcn point(s, state, {kLine, false});
  point.on_signal(0);
  point.advance(0);
  state.rate_bps = 1'000'000;  // a rate as after many cuts; the target is still 400G
  state.cnp_for_decrease = false;
  EXPECT_EQ(start(point, 0, 4198), 300 * kUs) << "not 33.6 ms: the increase timer at 300 us makes it 200G";
}

/// Random CNPs and starts; after each, both must agree on rate, target, alpha and the next start.
void expect_equal_histories(const DcqcnSettings& dcqcn, const NicLine& line, u32 seed, TimePs gap_ps) {
  const PreparedDcqcn s{dcqcn};
  std::mt19937_64 random(seed);
  DcqcnState state;
  Dcqcn lazy(s, state, line);
  oracle::Dcqcn eager(dcqcn, line.bps, line.whole_nanoseconds);
  TimePs t = 0, pace = 0, lazy_pace = 0, last_start = 0;
  u32 last_wire = 0;
  for (u32 step = 0; step < 1500; ++step) {
    // Mostly busy phases with occasional CNPs, sometimes a long silence; often exactly on a timer.
    TimePs cnp_at = t + static_cast<TimePs>(random() % static_cast<u64>(gap_ps));
    if (random() % 50 == 0) cnp_at = t + static_cast<TimePs>(random() % 40) * gap_ps;
    if (random() % 3 == 0 && eager.next_timer_ps() < kNever) cnp_at = std::max(t, eager.next_timer_ps());
    const bool starts = pace <= cnp_at && random() % 8 != 0;
    t = starts ? std::max(t, pace) : cnp_at;
    if (starts) {
      const u32 wire = random() % 4 == 0 ? 106 + static_cast<u32>(random() % 4000) : 4198;
      lazy.advance(t);
      lazy_pace = start(lazy, t, wire);
      eager.advance_to(t);
      eager.sent(wire);
      pace = oracle::earliest_paced_start(eager, t, u64{wire} * 8, t);
      last_start = t;
      last_wire = wire;
    } else {
      if (lazy.on_signal(t) && last_wire != 0 && lazy_pace >= t)
        lazy_pace = std::max(t, lazy.next_timer(t, last_start, last_wire));
      eager.cnp(t);
      if (last_wire != 0 && pace >= t && dcqcn.pace_follows_rate)
        pace = oracle::earliest_paced_start(eager, last_start, u64{last_wire} * 8, t);
    }
    ASSERT_EQ(lazy.rate_bps(), eager.rate_bps()) << "seed " << seed << " step " << step << " t " << t;
    if (last_wire != 0) {
      ASSERT_EQ(lazy_pace, pace) << "seed " << seed << " step " << step << " t " << t;
    }
    if (random() % 4 == 0) {
      lazy.advance(t);
      eager.advance_to(t);
      ASSERT_EQ(lazy.rate_bps(), eager.rate_bps()) << "seed " << seed << " step " << step << " t " << t;
      if (!lazy.started()) continue;
      ASSERT_EQ(state.target_bps, eager.target_bps()) << "seed " << seed << " step " << step;
      ASSERT_EQ(lazy.alpha_q20(), eager.alpha_q20()) << "seed " << seed;
    }
  }
}

TEST(Dcqcn, LazyEqualsEagerForEveryPreset) {
  for (const char* preset : {"connectx", "hpcc", "paper"}) {
    for (const u64 line_bps : {kLine, u64{40'000'000'000}}) {
      for (u32 seed = 0; seed < 6; ++seed) {
        DcqcnSettings d = DcqcnSettings::preset(preset, line_bps);
        const NicLine line{line_bps, seed % 2 == 1};
        d.pace_follows_rate = seed % 3 != 2;
        expect_equal_histories(d, line, seed, 2 * d.decrease_period_ps);
        expect_equal_histories(d, line, seed, d.increase_period_ps);
      }
    }
  }
}

TEST(Dcqcn, LazyEqualsEagerForRandomParameters) {
  for (u32 seed = 0; seed < 60; ++seed) {
    std::mt19937 random(1000 + seed);
    DcqcnSettings d;
    d.g_q10 = 1 + random() % 1023;
    d.alpha_period_ps = 1000 + random() % 100'000;
    d.decrease_period_ps = 1000 + random() % 200'000;
    d.increase_period_ps =
        random() % 2 == 0 ? d.decrease_period_ps : 1000 + random() % 1'000'000;  // due at one instant
    d.byte_counter_bytes = random() % 2 == 0 ? 0 : 1000 + random() % 50'000;
    d.fast_recovery_stages = random() % 6;
    d.rate_ai_bps = random() % 2'000'000'000;
    d.rate_hai_bps = random() % 2'000'000'000;
    d.min_rate_bps = 1'000'000 + random() % 1'000'000'000;
    d.clamp_target = random() % 2 == 0;
    expect_equal_histories(d, {kLine, false}, seed, d.increase_period_ps);
  }
}

}  // namespace
}  // namespace heddle
