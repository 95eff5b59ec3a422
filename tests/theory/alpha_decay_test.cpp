// alpha after k quiet periods: (1 - g)^k, by the closed form that the engine uses (powers P[i] = (1-g)^(2^i) in Q32)
// and by multiplying k times as a NIC would. Both round; the bounds follow from how:
//   closed form   rounds down: P[i] by at most 2^i - 1 units of 2^-32 (each squaring doubles an error and adds one),
//                 the product once per set bit. So 0 <= true - closed <= popcount(k) + k * alpha / 2^32, in Q20 units.
//   step by step  alpha - floor(alpha * g) rounds up by less than one unit a step, and each later step shrinks that
//                 by 1 - g: 0 <= stepped - true < 1/g. It never falls below 1/g units (alpha * g < 1 rounds to 0).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/congestion/dcqcn.hpp"
#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

PreparedDcqcn settings_of(u32 g_q10) { return PreparedDcqcn({.g_q10 = g_q10}); }

TEST(AlphaDecay, ClosedFormAndStepsStayWithinTheirBounds) {
  for (const u32 g_q10 : {1u, 4u, 5u, 64u, 512u, 1000u}) {
    const PreparedDcqcn s = settings_of(g_q10);
    const long double keep = 1.0L - static_cast<long double>(g_q10) / 1024;
    for (const u32 start : {1u << 20, 777'777u, 4096u, 1u}) {
      u64 stepped = start;
      long double exact = start;
      double worst_closed = 0, worst_stepped = 0;
      for (u32 k = 1; k <= 20'000; ++k) {
        stepped -= (stepped * g_q10) >> 10;
        exact *= keep;
        const double below = static_cast<double>(exact - Dcqcn::decayed_alpha(s, start, k));
        const double above = static_cast<double>(static_cast<long double>(stepped) - exact);
        ASSERT_GE(below, -1e-9) << "g " << g_q10 << "/1024, alpha " << start << ", k " << k;
        ASSERT_LE(below, std::popcount(k) + static_cast<double>(k) * start / 4294967296.0 + 1e-9)
            << "g " << g_q10 << "/1024, alpha " << start << ", k " << k;
        ASSERT_GE(above, -1e-9) << "g " << g_q10 << "/1024, alpha " << start << ", k " << k;
        ASSERT_LT(above, 1024.0 / g_q10) << "g " << g_q10 << "/1024, alpha " << start << ", k " << k;
        worst_closed = std::max(worst_closed, below);
        worst_stepped = std::max(worst_stepped, above);
      }
      if (start == 1u << 20) {
        std::printf("  g %4u/1024: closed form at most %.2f units of 2^-20 below, step by step at most %.1f above\n",
                    g_q10, worst_closed, worst_stepped);
      }
    }
  }
}

/// 1000 periods at g = 1/256 leave 2 % of alpha; the engine's state, not only its formula: one CNP, then silence.
TEST(AlphaDecay, AReactionPointLeftAloneForgets) {
  PreparedDcqcn s = settings_of(4);
  s.alpha_period_ps = 1'000'000;
  s.decrease_period_ps = 4'000'000;
  s.increase_period_ps = 300'000'000;
  DcqcnState state;
  Dcqcn point(s, state, {400'000'000'000, false});
  point.on_signal(0);
  for (const u32 periods : {1u, 7u, 256u, 1000u}) {
    point.advance(static_cast<TimePs>(periods + 1) * s.alpha_period_ps);  // the first period had the CNP
    const double alpha = point.alpha_q20() / 1048576.0;
    EXPECT_NEAR(alpha, std::pow(1 - 1 / 256.0, periods), 12e-6) << periods;
  }
}

}  // namespace
}  // namespace heddle::theory
