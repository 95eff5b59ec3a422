// The progress line of a long run: speed and remaining time are those of this process run.
#include "host/cli/pace.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr TimePs kMillisecond = 1'000'000'000;

/// Returns the progress line of the second call, 10 s after the first.
std::string second_look(Pace& pace, TimePs now_ps, u64 packet_hops, const std::string& completed = "") {
  EXPECT_EQ(pace.look(0, 0, 0), "");
  return pace.look(10, now_ps, packet_hops, completed);
}

void expect_begins(const std::string& line, const std::string& begin) {
  EXPECT_EQ(line.substr(0, begin.size()), begin) << line;
}

TEST(Pace, OfARunWithAHorizon) {
  Pace pace(100 * kMillisecond, 0);
  EXPECT_EQ(second_look(pace, 20 * kMillisecond, 30'000'000),
            "20 % of the horizon, at most 0:40 left; 20 ms simulated, 3.00 M packet-hops/s, 0:10 elapsed");
  EXPECT_EQ(pace.look(20, 25 * kMillisecond, 35'000'000),
            "25 % of the horizon, at most 1:00 left; 25 ms simulated, 0.50 M packet-hops/s, 0:20 elapsed");
}

TEST(Pace, OfARunWhoseWorkIsForeseen) {
  Pace pace(kNever, 100e6);
  EXPECT_EQ(second_look(pace, kMillisecond, 25'000'000, "1 of 5 collectives"),
            "25 % of about 100 M packet-hops, 1 of 5 collectives, about 0:30 left; "
            "1 ms simulated, 2.50 M packet-hops/s, 0:10 elapsed");
}

TEST(Pace, MoreWorkThanForeseenIsNeverAHundredPerCent) {
  Pace pace(kNever, 100e6);
  expect_begins(second_look(pace, kMillisecond, 99'900'000), "99 % of about 100 M packet-hops, about 0:00 left; ");
  EXPECT_EQ(pace.look(20, kMillisecond, 100'000'000, "4 of 5 collectives"),
            "more than the 100 M packet-hops foreseen, 4 of 5 collectives, time left unknown; "
            "1 ms simulated, 0.01 M packet-hops/s, 0:20 elapsed");
}

TEST(Pace, WhatComesFirstDecides) {
  Pace by_work(100 * kMillisecond, 40e6), by_time(100 * kMillisecond, 400e6), past_work(100 * kMillisecond, 20e6);
  const std::string horizon = "20 % of the horizon, at most 0:40 left; ";
  expect_begins(second_look(by_work, 20 * kMillisecond, 30'000'000),
                "75 % of about 40 M packet-hops, about 0:03 left; 20 ms simulated");
  expect_begins(second_look(by_time, 20 * kMillisecond, 30'000'000), horizon);
  expect_begins(second_look(past_work, 20 * kMillisecond, 30'000'000), horizon);
}

TEST(Pace, OfARunThatWasResumed) {
  Pace pace(100 * kMillisecond, 0);
  EXPECT_EQ(pace.look(0.25, 80 * kMillisecond, 2'000'000'000), "");
  EXPECT_EQ(pace.look(10.25, 85 * kMillisecond, 2'030'000'000),
            "85 % of the horizon, at most 0:30 left; 85 ms simulated, 3.00 M packet-hops/s, 0:10 elapsed")
      << "neither the hops nor the simulated time of the process runs before";
  Pace work(kNever, 2'100e6);
  work.look(0.25, 80 * kMillisecond, 2'000'000'000);
  expect_begins(work.look(10.25, 85 * kMillisecond, 2'050'000'000),
                "97 % of about 2100 M packet-hops, about 0:10 left; ");
}

TEST(Pace, WhereNothingIsKnownNothingIsSaid) {
  Pace pace(kNever, 0);
  pace.look(0, 0, 0);
  EXPECT_EQ(pace.look(3600, kMillisecond, 3'600'000), "1 ms simulated, 0.00 M packet-hops/s, 1:00:00 elapsed");
}

/// A sweep reads the progress of a run from its log.
TEST(Pace, ProgressIsReadFromALog) {
  Pace timed(100 * kMillisecond, 0), endless(kNever, 0);
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
