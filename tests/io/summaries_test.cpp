// Summaries: what happens to what had not finished when the run ended.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/results/describe_json.hpp"
#include "io/results/report.hpp"
#include "io/results/summaries.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr TimePs kMs = 1'000'000'000;

/// `finished` messages of 1 ms, 2 ms, ... posted at 0, and `unfinished` ones posted at `later_ps`; the end is at 100
/// ms.
std::vector<MessageTime> some_messages(u32 finished, u32 unfinished, TimePs later_ps = 0) {
  std::vector<MessageTime> messages;
  for (u32 m = 1; m <= finished; ++m) messages.push_back({0, m * kMs, kMs});
  for (u32 m = 0; m < unfinished; ++m) messages.push_back({later_ps, -1, kMs});
  return messages;
}

TEST(Summaries, OfMessagesThatAllFinished) {
  const MessageTimes times = message_times(some_messages(10, 0), 100 * kMs, false);
  EXPECT_EQ(times.posted, 10u);
  EXPECT_EQ(times.finished, 10u);
  EXPECT_EQ(times.find(50)->completion_ps, 5 * kMs);
  EXPECT_EQ(times.find(99)->completion_ps, 10 * kMs);
  EXPECT_DOUBLE_EQ(times.find(99)->times_the_ideal, 10);
  for (const MessagePercentile& p : times.percentiles) {
    EXPECT_FALSE(p.completion_at_least) << p.percent;
    EXPECT_FALSE(p.ideal_at_least) << p.percent;
  }
}

/// 29 of 100 finished: no percentile of those is one of all.
TEST(Summaries, UnfinishedMessagesMakeLowerBounds) {
  const MessageTimes times = message_times(some_messages(29, 71), 100 * kMs, false);
  EXPECT_EQ(times.posted, 100u);
  EXPECT_EQ(times.finished, 29u);
  for (const MessagePercentile& p : times.percentiles) {
    EXPECT_EQ(p.completion_ps, 100 * kMs) << p.percent << ": so long it has waited, at least";
    EXPECT_TRUE(p.completion_at_least) << p.percent;
    EXPECT_TRUE(p.ideal_at_least) << p.percent;
  }
}

TEST(Summaries, APercentileThatTheUnfinishedCannotRaiseIsExact) {
  const MessageTimes times = message_times(some_messages(98, 2), 100 * kMs, false);
  EXPECT_EQ(times.find(95)->completion_ps, 95 * kMs);
  EXPECT_FALSE(times.find(95)->completion_at_least);
  EXPECT_EQ(times.find(99)->completion_ps, 100 * kMs);
  EXPECT_TRUE(times.find(99)->completion_at_least);
}

/// Posted 1 ms before the end: they may take longer than any, so p50 of the others is a bound for all.
TEST(Summaries, WhatWasPostedLateIsABoundToo) {
  const MessageTimes times = message_times(some_messages(10, 10, 99 * kMs), 100 * kMs, false);
  EXPECT_EQ(times.find(50)->completion_ps, 1 * kMs);
  EXPECT_TRUE(times.find(50)->completion_at_least);
}

TEST(Summaries, WhatWasNotPostedIsNotCounted) {
  std::vector<MessageTime> messages = some_messages(2, 0);
  messages.push_back({200 * kMs, -1, kMs});
  messages.push_back({-1, -1, kMs});
  EXPECT_EQ(message_times(messages, 100 * kMs, false).posted, 2u);
  EXPECT_EQ(message_times(messages, 100 * kMs, true).posted, 4u)
      << "the end of a run that stalled is its last completion";
}

TEST(Summaries, OfNoMessageThereIsNone) {
  EXPECT_TRUE(message_times(std::vector<MessageTime>{}, 100 * kMs, false).percentiles.empty());
  std::vector<MessageTime> unknown = some_messages(1, 0);
  unknown[0].ideal_ps = -1;
  EXPECT_TRUE(std::isnan(message_times(unknown, 100 * kMs, false).find(50)->times_the_ideal));
}

/// A run that its horizon ended before the second message was acknowledged and the collective was over.
std::string write_cut_off(const std::string& path) {
  const World world = small_world();
  Outcome outcome = small_outcome();
  outcome.reason = EndReason::horizon;
  outcome.messages[1].acked_ps = -1;
  outcome.collectives[0].ranks_finished = 3;
  ResultWriter writer(path, world, small_settings());
  writer.finish(outcome, {});
  return path;
}

TEST(Summaries, AreMarkedWhereverTheyAreShown) {
  const std::string path = write_cut_off(fresh_folder() + "/a.h5");
  const RunSummary run = read_summary(path);
  ASSERT_TRUE(run.summaries);
  EXPECT_TRUE(run.summaries->messages.find(99)->completion_at_least);
  EXPECT_EQ(run.summaries->collectives.at(0).finished, 0u);
  EXPECT_TRUE(std::isnan(run.summaries->collectives[0].busbw_GBps));
  expect_contains(describe_run(path), ">= ");
  expect_contains(describe_run(path), "of all 2 messages that were posted; 1 had not finished");
  expect_contains(compare_runs(std::vector<std::string>{path, path}), ">= ");
  const nlohmann::ordered_json all = json_of(run), row = row_of(run);
  EXPECT_EQ(all["messages"]["completion_at_least"]["p99"], true);
  EXPECT_EQ(all["summary"]["collectives"][0]["busbw_GBps"], nullptr);
  EXPECT_EQ(row.at("completion_p99_at_least"), true);
}

}  // namespace
}  // namespace heddle::test
