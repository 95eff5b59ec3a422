// DCQCN's reaction point step by step (Zhu et al., SIGCOMM 2015; HPCC's "mlx" variant), against tables worked
// by hand. g = 1/2, so that every alpha is a short binary fraction: alpha' = alpha/2 + 1/2 in a period with a CNP,
// alpha/2 without, and after 21 quiet periods it is 0 in Q20. Line 64 Gb/s, alpha every 10 us, decrease every 20 us,
// increase every 500 us; all count from the first CNP. Rates in bit/s, averages rounded down.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/congestion/dcqcn.hpp"

namespace heddle::theory {
namespace {

constexpr TimePs kUs = 1'000'000;
constexpr u64 kGbps = 1'000'000'000, kLine = 64 * kGbps;

PreparedDcqcn settings_of(u32 fast_recovery_stages, u64 byte_counter_bytes) {
  PreparedDcqcn s{{}};
  s.g_q10 = 512;
  s.alpha_period_ps = 10 * kUs;
  s.decrease_period_ps = 20 * kUs;
  s.increase_period_ps = 500 * kUs;
  s.byte_counter_bytes = byte_counter_bytes;
  s.fast_recovery_stages = fast_recovery_stages;
  s.rate_ai_bps = 1 * kGbps;
  s.rate_hai_bps = 2 * kGbps;
  s.min_rate_bps = 1 * kGbps;
  for (u32 i = 0; i < 32; ++i) s.decay_q32[i] = i < 6 ? static_cast<u32>(u64{1} << (32 - (1u << i))) : 0;  // 2^-(2^i)
  return s;
}

enum class Cause { cnp, timer, bytes };

struct Step {
  TimePs at_us;
  Cause cause;
  u64 rate_bps, target_bps;  // after the step
  const char* why;
};

void walk(const PreparedDcqcn& s, const std::vector<Step>& table, u32 bytes_per_start) {
  DcqcnState state;
  Dcqcn point(s, state, {kLine, false});
  for (const Step& step : table) {
    const TimePs t = step.at_us * kUs;
    if (point.started()) {  // only the steps in the table may change the rate
      const u64 before = point.rate_bps();
      point.advance(t - 1);
      ASSERT_EQ(point.rate_bps(), before) << "just before " << step.at_us << " us: " << step.why;
    }
    if (step.cause == Cause::cnp) {
      point.on_signal(t);
      point.advance(t);
    } else {
      point.advance(t);
      if (step.cause == Cause::bytes) point.on_start(t, bytes_per_start);
    }
    ASSERT_EQ(point.rate_bps(), step.rate_bps) << step.at_us << " us: " << step.why;
    ASSERT_EQ(state.target_bps, step.target_bps) << step.at_us << " us: " << step.why;
  }
}

TEST(DcqcnSteps, TimerOnlyThreeFastStages) {
  const u64 first = 41'343'750'000;
  walk(settings_of(3, 0),
       {{0, Cause::cnp, 64 * kGbps, 64 * kGbps, "first CNP: alpha 1, timers start, no cut yet"},
        {10, Cause::timer, 64 * kGbps, 64 * kGbps, "alpha = 1/2 + 1/2"},
        {20, Cause::timer, 48 * kGbps, 64 * kGbps, "alpha 1/2 first, then the cut by 1/4; target stays: stage 0"},
        {520, Cause::timer, 56 * kGbps, 64 * kGbps, "fast recovery 1, counted from the cut"},
        {530, Cause::cnp, 56 * kGbps, 64 * kGbps, "CNP on an alpha instant comes first: 0 + 1/2"},
        {540, Cause::timer, 49 * kGbps, 56 * kGbps, "alpha 1/4: cut by 1/8; stage 1, so target = rate before"},
        {550, Cause::cnp, 49 * kGbps, 56 * kGbps, "alpha 1/8 + 1/2"},
        {560, Cause::timer, first, 56 * kGbps, "alpha 5/16: cut by 5/32; stage 0, target stays"},
        {580, Cause::timer, first, 56 * kGbps, "no CNP, no cut"},
        {1060, Cause::timer, 48'671'875'000, 56 * kGbps, "fast recovery 1"},
        {1560, Cause::timer, 52'335'937'500, 56 * kGbps, "fast recovery 2"},
        {2060, Cause::timer, 54'167'968'750, 56 * kGbps, "fast recovery 3 = F"},
        {2560, Cause::timer, 55'583'984'375, 57 * kGbps, "additive increase, once"},
        {3060, Cause::timer, 57'291'992'187, 59 * kGbps, "hyper increase"},
        {3560, Cause::timer, 59'145'996'093, 61 * kGbps, "hyper increase"},
        {4060, Cause::timer, 61'072'998'046, 63 * kGbps, "hyper increase"},
        {4560, Cause::timer, 62'536'499'023, 64 * kGbps, "target capped at the line"},
        {5060, Cause::timer, 63'268'249'511, 64 * kGbps, "half way to the line"}},
       0);
}

/// Hyper increase needs both stages beyond F, additive increase one of them at F.
TEST(DcqcnSteps, ByteCounterAndTimerTwoFastStages) {
  walk(settings_of(2, 1'000'000),
       {{0, Cause::cnp, 64 * kGbps, 64 * kGbps, "first CNP"},
        {20, Cause::timer, 48 * kGbps, 64 * kGbps, "cut by 1/4"},
        {30, Cause::bytes, 56 * kGbps, 64 * kGbps, "byte stage 1: fast recovery"},
        {250, Cause::cnp, 56 * kGbps, 64 * kGbps, "alpha 0 + 1/2"},
        {260, Cause::timer, 49 * kGbps, 56 * kGbps, "alpha 1/4; the byte stage counts, so target = rate before"},
        {270, Cause::bytes, 52'500'000'000, 56 * kGbps, "fast recovery, byte stage 1"},
        {280, Cause::bytes, 54'250'000'000, 56 * kGbps, "fast recovery, byte stage 2 = F"},
        {290, Cause::bytes, 55'625'000'000, 57 * kGbps, "additive: max stage is F"},
        {300, Cause::bytes, 56'812'500'000, 58 * kGbps, "additive: the timer's stage is 0"},
        {760, Cause::timer, 57'906'250'000, 59 * kGbps, "additive, timer stage 1"},
        {1260, Cause::timer, 58'953'125'000, 60 * kGbps, "additive, timer stage 2"},
        {1760, Cause::timer, 59'976'562'500, 61 * kGbps, "additive: the least stage is F, not beyond; timer stage 3"},
        {1770, Cause::bytes, 61'488'281'250, 63 * kGbps, "hyper: both beyond F"},
        {2260, Cause::timer, 62'744'140'625, 64 * kGbps, "hyper, capped"}},
       1'000'000);
}

TEST(DcqcnSteps, ClampedTargetFollowsEveryCut) {
  PreparedDcqcn s = settings_of(3, 0);
  s.clamp_target = true;
  walk(s,
       {{0, Cause::cnp, 64 * kGbps, 64 * kGbps, "first CNP"},
        {20, Cause::timer, 48 * kGbps, 64 * kGbps, "the rate before the cut"},
        {30, Cause::cnp, 48 * kGbps, 64 * kGbps, "alpha 1/4 + 1/2"},
        {40, Cause::timer, 39 * kGbps, 48 * kGbps, "alpha 3/8: cut by 3/16; target follows although the stage is 0"},
        {540, Cause::timer, 43'500'000'000, 48 * kGbps, "fast recovery to it"}},
       0);
}

/// A CNP in every alpha period: alpha stays 1 and every cut halves the rate, down to the floor, which no cut passes.
TEST(DcqcnSteps, SteadyMarkingReachesTheFloor) {
  const PreparedDcqcn s = settings_of(3, 0);
  DcqcnState state;
  Dcqcn point(s, state, {kLine, false});
  u64 before = 0;
  for (TimePs period = 0; period < 40; ++period) {
    const TimePs start = period * 20 * kUs;
    point.on_signal(start);
    point.on_signal(start + 5 * kUs);
    point.advance(start + 10 * kUs);
    point.on_signal(start + 15 * kUs);
    before = point.rate_bps();
    point.advance(start + 20 * kUs);
    if (point.rate_bps() > s.min_rate_bps) {
      EXPECT_EQ(point.rate_bps(), before / 2) << "alpha stays 1 when every period has a CNP: each cut is by 1/2";
    }
  }
  EXPECT_EQ(point.rate_bps(), s.min_rate_bps);
  EXPECT_EQ(before, s.min_rate_bps);
}

}  // namespace
}  // namespace heddle::theory
