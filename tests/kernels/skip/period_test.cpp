// The shortest period of what a witness has noted.
#include "kernels/skip/period.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle {
namespace {

/// `before` gaps that do not repeat, then a pattern so many times.
std::unique_ptr<Witness> noted(u32 before, const std::vector<TimePs>& gaps_ps, u32 times) {
  auto witness = std::make_unique<Witness>();
  TimePs t = 0;
  const auto note = [&](TimePs gap_ps, u32 what) {
    t += gap_ps;
    witness->start_ps[witness->notes % Witness::kNotes] = t;
    witness->what[witness->notes++ % Witness::kNotes] = what;
  };
  for (u32 i = 0; i < before; ++i) note(1'000 + i, 0);
  for (u32 k = 0; k < times; ++k) {
    for (u32 i = 0; i < gaps_ps.size(); ++i) note(gaps_ps[i], i);
  }
  return witness;
}

TEST(Period, OfAPatternIsTheSumOfItsGaps) {
  EXPECT_EQ(latest_period_ps(*noted(50, {84, 84, 300}, 20), 1'000), 84 + 84 + 300);
}

TEST(Period, IsNoneBeforeItHasComeBackTwoAndAHalfTimes) {
  const std::vector<TimePs> gaps = {10, 20, 30, 40, 50, 60, 70, 80};
  EXPECT_EQ(latest_period_ps(*noted(50, gaps, 2), 0), 0);
  EXPECT_EQ(latest_period_ps(*noted(50, gaps, 3), 0), 360);
}

TEST(Period, IsNoneBeforeItHasLastedLongEnough) {
  EXPECT_EQ(latest_period_ps(*noted(0, {100}, 99), 10'000), 0);
  EXPECT_EQ(latest_period_ps(*noted(0, {100}, 102), 10'000), 100);
}

TEST(Period, TellsStartsOfDifferentQueuePairsApart) {
  EXPECT_EQ(latest_period_ps(*noted(0, {100, 100}, 99), 1'000), 200);
}

TEST(Period, IsOfTheLatestNotesAlone) {
  EXPECT_EQ(latest_period_ps(*noted(20'000, {100}, 5'000), 100'000), 100);
  EXPECT_EQ(latest_period_ps(*noted(0, {}, 0), 0), 0);
}

}  // namespace
}  // namespace heddle
