// Messages of several classes, and of none that was posted: told apart in the file and in texts. Those of checkpoints:
// tests/host/scenario/workload/training/checkpoint_test.cpp.
#include "io/results/message_kinds.hpp"

#include <gtest/gtest.h>

#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string write_run(const std::string& path, const World& world, const Outcome& outcome) {
  ResultWriter writer(path, world, small_settings());
  writer.finish(outcome, {});
  return path;
}

/// The small world, whose second message is of the best_effort class.
World two_classes() {
  World world = small_world();
  world.fabric.classes.resize(3);
  world.traffic.qps[1].traffic_class = 2;
  return world;
}

TEST(MessageKinds, OneKindStandsForAll) {
  const std::string path = write_run(fresh_folder() + "/a.h5", small_world(), small_outcome());
  const RunSummary run = read_summary(path);
  ASSERT_EQ(run.message_kinds.size(), 1u);
  EXPECT_FALSE(told_apart(run.message_kinds));
  EXPECT_EQ(run.message_kinds[0].messages, run.messages.messages);
  EXPECT_EQ(run.message_kinds[0].received_bytes, run.messages.received_bytes);
  EXPECT_EQ(run.message_kinds[0].goodput_bits_per_s, run.messages.goodput_bits_per_s);
  EXPECT_EQ(run.message_kinds[0].times.find(99)->completion_ps, run.summaries->messages.find(99)->completion_ps);
  const std::string text = compare_runs(std::vector<std::string>{path, path});
  expect_contains(text, "\n  messages finished");
  EXPECT_EQ(text.find("best_effort"), std::string::npos) << text;
}

TEST(MessageKinds, ClassesHaveTheirOwnGoodput) {
  const World world = two_classes();
  const std::string path = write_run(fresh_folder() + "/a.h5", world, small_outcome());
  const RunSummary run = read_summary(path);
  ASSERT_EQ(run.message_kinds.size(), count_message_kinds(world));
  ASSERT_EQ(run.message_kinds.size(), 2u);
  u64 bytes = 0;
  for (u32 m = 0; m < 2; ++m) {
    const MessageKindSummary& kind = run.message_kinds[m];
    EXPECT_EQ(kind.traffic_class, m == 0 ? "lossless" : "best_effort");
    EXPECT_EQ(kind.messages, 1u);
    bytes += kind.received_bytes;
    const MessagePercentile* slowest = kind.times.find(100);
    ASSERT_NE(slowest, nullptr);
    ASSERT_TRUE(kind.goodput_bits_per_s);
    EXPECT_NEAR(*kind.goodput_bits_per_s,
                static_cast<double>(kind.received_bytes) * 8e12 / static_cast<double>(slowest->completion_ps), 1)
        << "a single message: its time is that of its kind";
  }
  EXPECT_EQ(bytes, run.messages.received_bytes);
  expect_contains(describe_run(path), "own messages, gpus, best_effort");
  const std::string text = compare_runs(std::vector<std::string>{path, path});
  expect_contains(text, "messages, gpus, lossless: finished");
  expect_contains(text, "messages, gpus, best_effort: finished");
  EXPECT_EQ(text.find("\n  messages finished"), std::string::npos) << "no row mixes them: " << text;
}

TEST(MessageKinds, AKindThatWasNotPostedIsCounted) {
  const World world = two_classes();
  Outcome outcome = small_outcome();
  outcome.reason = EndReason::horizon;
  outcome.end_ps = 2'500'000;  // before the second message is posted
  outcome.messages[0].acked_ps = outcome.messages[1].acked_ps = -1;
  outcome.messages[1].received_bytes = 0;
  const RunSummary run = read_summary(write_run(fresh_folder() + "/a.h5", world, outcome));
  ASSERT_EQ(run.message_kinds.size(), 2u);
  EXPECT_TRUE(run.message_kinds[0].times.find(50)->completion_at_least);
  EXPECT_EQ(run.message_kinds[1].messages, 1u);
  EXPECT_EQ(run.message_kinds[1].times.posted, 0u);
  EXPECT_EQ(run.message_kinds[1].times.find(50), nullptr);
}

}  // namespace
}  // namespace heddle::test
