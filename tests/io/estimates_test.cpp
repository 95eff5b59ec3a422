// Times of two runs with coarse packets: the line through them at one MTU, how far it may be off, the outcome that
// follows.
#include "io/results/estimates.hpp"

#include <gtest/gtest.h>

#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

/// All that the first collective and message do takes `times` as long.
Outcome stretched(double times) {
  Outcome outcome = small_outcome();
  const auto stretch = [&](TimePs& ps) {
    if (ps >= 0) ps = static_cast<TimePs>(static_cast<double>(ps) * times);
  };
  for (MessageOutcome& m : outcome.messages) {
    stretch(m.start_ps);
    stretch(m.received_ps);
    stretch(m.acked_ps);
  }
  for (CollectiveOutcome& c : outcome.collectives) {
    stretch(c.first_enter_ps);
    stretch(c.last_enter_ps);
    stretch(c.first_finish_ps);
    stretch(c.last_finish_ps);
  }
  stretch(outcome.end_ps);
  return outcome;
}

constexpr u32 kMtus = 4;
/// 1 + slope * (MTUs - 1) times the truth.
Outcome with(u32 mtus, double slope) { return stretched(1 + slope * (mtus - 1)); }

TEST(Estimates, AStraightLineLeadsToTheTruth) {
  const World world = small_world();
  const Outcome truth = small_outcome(), coarse = with(kMtus, 0.01), coarser = with(2 * kMtus, 0.01);
  const std::vector<TimeEstimate> all = estimates_of(world, coarse, coarser, kMtus);
  const TimeEstimate* collective = find_estimate(all, Timed::collective, 0);
  ASSERT_NE(collective, nullptr);
  const auto true_ps = static_cast<double>(truth.collectives[0].last_finish_ps - truth.collectives[0].first_enter_ps);
  EXPECT_NEAR(double(collective->time_ps), true_ps, 1e-6 * true_ps);
  EXPECT_GE(double(collective->error_ps), 0.059 * true_ps) << "twice what was taken away";
}

TEST(Estimates, TimesBetweenInstantsOfTheOutcomeAreTheEstimates) {
  const World world = small_world();
  const Outcome coarse = with(kMtus, 0.02), coarser = with(2 * kMtus, 0.02);
  const Outcome moved = extrapolated(small_world(), coarse, coarser, kMtus);
  for (const TimeEstimate& e : estimates_of(world, coarse, coarser, kMtus)) {
    TimePs time_ps = moved.end_ps;
    if (e.of == Timed::collective)
      time_ps = moved.collectives[e.id].last_finish_ps - moved.collectives[e.id].first_enter_ps;
    if (e.of == Timed::message) time_ps = moved.messages[e.id].acked_ps - world.traffic.messages[e.id].post_ps;
    EXPECT_EQ(time_ps, e.time_ps) << static_cast<u32>(e.of) << " " << e.id;
  }
}

TEST(Estimates, NeverBetterThanTwoThousandths) {
  const World world = small_world();
  const Outcome outcome = small_outcome();
  for (const TimeEstimate& e : estimates_of(world, outcome, outcome, kMtus)) {
    EXPECT_EQ(e.time_ps, e.coarse_ps);
    EXPECT_GE(double(e.error_ps), 0.002 * double(e.coarse_ps));
  }
}

TEST(Estimates, NoneIsBetterThanMostOfItsKind) {
  const World world = small_world();
  const Outcome coarse = small_outcome();
  Outcome coarser = coarse;
  u32 done = 0, last = 0;
  for (u32 m = 0; m < coarse.messages.size(); ++m) {
    if (coarse.messages[m].acked_ps < 0) continue;
    ++done;
    last = m;
  }
  ASSERT_GE(done, 2u);
  coarser.messages[last].acked_ps += coarse.messages[last].acked_ps / 10;
  const std::vector<TimeEstimate> all = estimates_of(world, coarse, coarser, kMtus);
  for (const TimeEstimate& e : estimates_of_kind(all, Timed::message)) EXPECT_GT(e.error(), 0.05) << e.id;
  for (const TimeEstimate& e : estimates_of_kind(all, Timed::collective)) EXPECT_LT(e.error(), 0.05) << e.id;
}

TEST(Estimates, OnlyOfWhatBothRunsHaveCompleted) {
  const World world = small_world();
  const Outcome coarse = small_outcome();
  Outcome coarser = coarse;
  coarser.messages[0].acked_ps = -1;
  coarser.collectives[0].ranks_finished = 0;
  coarser.reason = EndReason::horizon;
  const std::vector<TimeEstimate> all = estimates_of(world, coarse, coarser, kMtus);
  EXPECT_EQ(find_estimate(all, Timed::message, 0), nullptr);
  EXPECT_EQ(find_estimate(all, Timed::collective, 0), nullptr);
  EXPECT_EQ(find_estimate(all, Timed::run, 0), nullptr);
  const Outcome moved = extrapolated(small_world(), coarse, coarser, kMtus);
  EXPECT_EQ(moved.end_ps, coarse.end_ps);
  EXPECT_EQ(moved.messages[0].acked_ps, coarse.messages[0].acked_ps);
}

/// A second run more than about twice as long says that this is no line: what the first has stands, and may be off by
/// more than all of it.
TEST(Estimates, WhatWouldBeNoTimeAtAllIsNotKnown) {
  const World world = small_world();
  const Outcome coarse = small_outcome(), coarser = stretched(10);
  for (const TimeEstimate& e : estimates_of(world, coarse, coarser, kMtus)) {
    EXPECT_EQ(e.time_ps, e.coarse_ps) << e.id;
    EXPECT_GT(e.error(), 1) << e.id;
  }
  EXPECT_EQ(extrapolated(world, coarse, coarser, kMtus).end_ps, coarse.end_ps);
}

/// Each instant is moved by itself.
TEST(Estimates, AMessageIsPostedAndStartsAndEndsInThisOrder) {
  const World world = small_world();
  Outcome coarse = small_outcome(), coarser = coarse;
  ASSERT_GE(coarse.messages[0].acked_ps, 0);
  const TimePs posted_ps = world.traffic.messages[0].post_ps;
  coarse.messages[0].start_ps = posted_ps + 10;
  coarser.messages[0].start_ps = posted_ps + 1'000;
  coarser.messages[0].received_ps = 4 * coarse.messages[0].received_ps / 3 - 1'000;
  const MessageOutcome moved = extrapolated(world, coarse, coarser, kMtus).messages[0];
  EXPECT_LE(posted_ps, moved.start_ps);
  EXPECT_LE(moved.start_ps, moved.received_ps);
  EXPECT_LE(moved.received_ps, moved.acked_ps);
}

TEST(Estimates, NothingEndsAfterTheRun) {
  Outcome coarse = small_outcome(), coarser = coarse;
  coarse.reason = coarser.reason = EndReason::complete;
  coarse.end_ps = coarser.end_ps = coarse.messages[0].acked_ps;
  coarser.end_ps += 1'000;  // the line of the run's end falls, those of all else do not
  const Outcome moved = extrapolated(small_world(), coarse, coarser, kMtus);
  EXPECT_EQ(moved.messages[0].acked_ps, coarse.messages[0].acked_ps);
  EXPECT_GE(moved.end_ps, moved.messages[0].acked_ps);
}

/// What was put in order is not on the line, so it may be off by more.
TEST(Estimates, SayWhatTheOutcomeSays) {
  const World world = small_world();
  Outcome coarse = small_outcome(), coarser = coarse;
  coarser.messages[0].acked_ps += 2 * coarse.messages[0].acked_ps / 3;  // acknowledged before it was received
  const Outcome moved = extrapolated(world, coarse, coarser, kMtus);
  const std::vector<TimeEstimate> all = estimates_of(world, coarse, coarser, kMtus);
  const TimeEstimate* message = find_estimate(all, Timed::message, 0);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(moved.messages[0].acked_ps, moved.messages[0].received_ps);
  EXPECT_EQ(message->time_ps, moved.messages[0].acked_ps - world.traffic.messages[0].post_ps);
}

TEST(Estimates, FirstAndLastKeepTheirOrder) {
  Outcome coarse = small_outcome(), coarser = coarse;
  CollectiveOutcome& c = coarse.collectives[0];
  c.ranks_finished = coarser.collectives[0].ranks_finished = 4;
  c.first_finish_ps = 1'000'000;
  c.last_finish_ps = 1'000'001;
  coarser.collectives[0].first_finish_ps = 1'000'000;
  coarser.collectives[0].last_finish_ps = 1'400'000;
  const Outcome moved = extrapolated(small_world(), coarse, coarser, kMtus);
  EXPECT_LE(moved.collectives[0].first_finish_ps, moved.collectives[0].last_finish_ps);
}

}  // namespace
}  // namespace heddle::test
