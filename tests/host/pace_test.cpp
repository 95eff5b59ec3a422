// The line that a long run prints: speed and time left are those of this sitting.
#include "host/cli/pace.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr TimePs kMillisecond = 1'000'000'000;

TEST(Pace, OfARunFromTheStart) {
  Pace pace(100 * kMillisecond);
  EXPECT_EQ(pace.look(0, 0, 0), "");
  EXPECT_EQ(pace.look(10, 20 * kMillisecond, 30'000'000),
            "20 ms simulated, 3.00 M packet-hops/s, 0:10 elapsed, 20 % of the horizon, at most 0:40 left");
  EXPECT_EQ(pace.look(20, 25 * kMillisecond, 35'000'000),
            "25 ms simulated, 0.50 M packet-hops/s, 0:20 elapsed, 25 % of the horizon, at most 1:00 left");
}

TEST(Pace, OfARunThatWasResumed) {
  Pace pace(100 * kMillisecond);
  EXPECT_EQ(pace.look(0.25, 80 * kMillisecond, 2'000'000'000), "");
  EXPECT_EQ(pace.look(10.25, 85 * kMillisecond, 2'030'000'000),
            "85 ms simulated, 3.00 M packet-hops/s, 0:10 elapsed, 85 % of the horizon, at most 0:30 left")
      << "neither the hops nor the simulated time of the sittings before";
}

TEST(Pace, WithoutAHorizonNothingIsLeft) {
  Pace pace(kNever);
  pace.look(0, 0, 0);
  EXPECT_EQ(pace.look(3600, kMillisecond, 3'600'000), "1 ms simulated, 0.00 M packet-hops/s, 1:00:00 elapsed");
}

/// What a sweep shows of a run is read from its log.
TEST(Pace, ProgressIsReadFromALog) {
  Pace timed(100 * kMillisecond), endless(kNever);
  timed.look(0, 0, 0);
  endless.look(0, 0, 0);
  const std::string first = timed.look(10, 20 * kMillisecond, 1), second = timed.look(20, 25 * kMillisecond, 2);
  EXPECT_EQ(progress_in("the run starts anew\n" + first + "\n" + second + "\n"), "25 %");
  EXPECT_EQ(progress_in(second), "25 %");
  EXPECT_EQ(progress_in("\n" + endless.look(5, 3 * kMillisecond, 1) + "\nwarning: something\n"), "3 ms");
  EXPECT_EQ(progress_in("the run starts anew\n"), "");
}

}  // namespace
}  // namespace heddle
