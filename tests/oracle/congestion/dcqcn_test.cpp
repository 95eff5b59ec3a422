// First steps of the DCQCN reaction point, worked out by hand.
#include "tests/oracle/congestion/dcqcn.hpp"

#include <gtest/gtest.h>

namespace heddle::oracle {
namespace {

constexpr u64 kLine = 400'000'000'000;
constexpr TimePs kUs = 1'000'000;

TEST(OracleDcqcn, NothingRunsBeforeTheFirstCnp) {
  DcqcnSettings settings;
  Dcqcn dcqcn(settings, kLine);
  dcqcn.advance_to(1000 * kUs);
  EXPECT_EQ(dcqcn.rate_bps(), kLine);
  EXPECT_EQ(dcqcn.next_timer_ps(), kNever);
}

TEST(OracleDcqcn, TheFirstCutHalvesUpToTheDecayOfAlpha) {
  DcqcnSettings settings;  // alpha 1 us, decrease 4 us, g 5/1024
  Dcqcn dcqcn(settings, kLine);
  dcqcn.cnp(10 * kUs);
  EXPECT_EQ(dcqcn.alpha_q20(), 1u << 20);
  dcqcn.advance_to(11 * kUs);  // the CNP at 10 us counts: alpha stays 1
  EXPECT_EQ(dcqcn.alpha_q20(), 1u << 20);
  dcqcn.advance_to(12 * kUs);  // one period without a CNP: alpha (1-g)
  EXPECT_EQ(dcqcn.alpha_q20(), (1u << 20) - (5u << 10));
  dcqcn.advance_to(14 * kUs - 1);
  EXPECT_EQ(dcqcn.rate_bps(), kLine);
  dcqcn.advance_to(14 * kUs);  // the alpha timer of this instant comes first: three periods without
  u64 p0 = (u64{1} << 32) - (5u << 22);
  u64 p1 = static_cast<u64>((static_cast<unsigned __int128>(p0) * p0) >> 32);
  u64 alpha = ((((u64{1} << 20) * p0) >> 32) * p1) >> 32;
  EXPECT_EQ(dcqcn.alpha_q20(), alpha);
  EXPECT_EQ(dcqcn.rate_bps(), kLine - ((kLine * alpha) >> 21));
  EXPECT_EQ(dcqcn.target_bps(), kLine);
  dcqcn.advance_to(18 * kUs);  // no CNP since: no cut
  EXPECT_EQ(dcqcn.rate_bps(), kLine - ((kLine * alpha) >> 21));
}

TEST(OracleDcqcn, TheIncreaseTimerRestartsAtACut) {
  DcqcnSettings settings;
  settings.increase_period_ps = 4 * kUs;  // due together with the decrease
  settings.fast_recovery_stages = 1;
  Dcqcn dcqcn(settings, kLine);
  dcqcn.cnp(0);
  dcqcn.advance_to(4 * kUs);
  u64 cut = dcqcn.rate_bps();
  EXPECT_LT(cut, kLine);
  dcqcn.advance_to(8 * kUs);  // stage 0 < F: half the way back
  u64 recovered = (cut + kLine) >> 1;
  EXPECT_EQ(dcqcn.rate_bps(), recovered);
  dcqcn.advance_to(12 * kUs);  // stage 1 = F: additive, target capped at the line
  EXPECT_EQ(dcqcn.target_bps(), kLine);
  EXPECT_EQ(dcqcn.rate_bps(), (recovered + kLine) >> 1);
}

TEST(OracleDcqcn, AdditiveThenHyperIncrease) {
  DcqcnSettings settings;
  settings.increase_period_ps = 10 * kUs;
  settings.clamp_target = true;
  Dcqcn dcqcn(settings, kLine);
  dcqcn.cnp(0);
  dcqcn.advance_to(4 * kUs);
  u64 rate = dcqcn.rate_bps();
  EXPECT_EQ(dcqcn.target_bps(), kLine);  // clamp: target = the rate before the cut
  dcqcn.cnp(5 * kUs);
  dcqcn.advance_to(8 * kUs);  // second cut
  u64 target = rate;
  rate = dcqcn.rate_bps();
  EXPECT_EQ(dcqcn.target_bps(), target);
  for (u64 step : {u64{0}, settings.rate_ai_bps, settings.rate_hai_bps, settings.rate_hai_bps}) {
    target += step;
    rate = (rate + target) >> 1;
    dcqcn.advance_to(dcqcn.next_timer_ps() + 10 * kUs);
  }
  EXPECT_EQ(dcqcn.target_bps(), target);
  EXPECT_EQ(dcqcn.rate_bps(), rate);
}

TEST(OracleDcqcn, TheByteCounterHasItsOwnStage) {
  DcqcnSettings settings;
  settings.byte_counter_bytes = 10'000;
  Dcqcn dcqcn(settings, kLine);
  dcqcn.sent(50'000);  // before the first CNP nothing counts
  dcqcn.cnp(0);
  dcqcn.advance_to(4 * kUs);
  u64 rate = dcqcn.rate_bps();
  dcqcn.sent(9'999);
  EXPECT_EQ(dcqcn.rate_bps(), rate);
  dcqcn.sent(1);
  EXPECT_EQ(dcqcn.rate_bps(), (rate + kLine) >> 1);
}

TEST(OracleDcqcn, PacingFollowsTheRate) {
  DcqcnSettings settings;
  Dcqcn dcqcn(settings, kLine);
  u64 bits = 8 * 4214;
  EXPECT_EQ(earliest_paced_start(dcqcn, 100, bits, 100), 100 + 4214 * 20);
  dcqcn.cnp(0);
  dcqcn.advance_to(4 * kUs);
  u64 rate = dcqcn.rate_bps();
  TimePs wait = static_cast<TimePs>((bits * 1'000'000'000'000 + rate - 1) / rate);
  EXPECT_EQ(earliest_paced_start(dcqcn, 4 * kUs, bits, 4 * kUs), 4 * kUs + wait);
}

TEST(OracleDcqcn, ARateThatRecoversShortensTheWait) {
  DcqcnSettings settings;
  settings.increase_period_ps = 10 * kUs;
  settings.min_rate_bps = 1'000'000;
  settings.decrease_period_ps = 1 * kUs;
  Dcqcn dcqcn(settings, kLine);
  TimePs t = 0;
  for (; t < 100 * kUs; t += kUs) dcqcn.cnp(t);
  t -= kUs;  // the last CNP and the last cut: CNPs come before timers
  dcqcn.advance_to(t);
  EXPECT_EQ(dcqcn.rate_bps(), settings.min_rate_bps);
  TimePs start = earliest_paced_start(dcqcn, t, 8 * 4214, t);
  EXPECT_LT(start, t + 8 * 4214 * kUs);    // the time that the floor alone would take
  EXPECT_EQ((start - t) % (10 * kUs), 0);  // the instant of an increase
}

}  // namespace
}  // namespace heddle::oracle
