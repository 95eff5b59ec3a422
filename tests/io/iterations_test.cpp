// Iterations of training jobs in the file, and what reports make of them.
#include "io/results/iterations.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/results/describe_json.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr TimePs kMs = 1'000'000'000;
constexpr u32 kData = static_cast<u32>(Group::data), kTensor = static_cast<u32>(Group::tensor);

/// small_world() with a second job, which trains on all four GPUs for two iterations.
World training_world() {
  World world = small_world();
  Job group;
  group.ranks = {0, 1, 2, 3};
  group.number = 1;
  group.group = Group::data;
  group.by_program = true;
  Collective gather = world.collectives.collectives[0];
  gather.job = static_cast<u32>(world.collectives.jobs.size());
  gather.kind = CollectiveKind::all_gather;
  group.collectives = {static_cast<u32>(world.collectives.collectives.size())};
  world.collectives.jobs.push_back(group);
  world.collectives.collectives.push_back(gather);
  world.programs.programs.resize(1);
  world.programs.tasks = {{1, 0, 2, 0}};
  for (u32 gpu = 0; gpu < 4; ++gpu) world.programs.runs.push_back({gpu, 0, 0, 0});
  return world;
}

/// The first iteration is whole; three of four GPUs have ended the second.
Outcome training_outcome() {
  Outcome outcome = small_outcome();
  outcome.collectives.push_back(outcome.collectives[0]);
  IterationOutcome first;
  first.first_begin_ps = 1 * kMs;
  first.last_begin_ps = 2 * kMs;
  first.first_end_ps = 10 * kMs;
  first.last_end_ps = 11 * kMs;
  first.gpus_ended = 4;
  first.compute_ps = 4 * 6 * kMs;
  first.max_compute_ps = 7 * kMs;
  first.waited_ps[kData] = 4 * 2 * kMs;
  first.max_waited_ps[kData] = 3 * kMs;
  IterationOutcome second = first;
  second.first_begin_ps = 10 * kMs;
  second.last_begin_ps = 11 * kMs;
  second.first_end_ps = 18 * kMs;
  second.last_end_ps = 19 * kMs;
  second.gpus_ended = 3;
  second.compute_ps = 3 * 6 * kMs;
  outcome.iterations = {first, second};
  return outcome;
}

std::string write_run(const Outcome& outcome, bool gpu_time = false, const World& world = training_world()) {
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.gpu_time = gpu_time;
  ResultWriter writer(path, world, settings);
  Event entered;
  entered.kind = EventKind::rank_entered;
  entered.value = u64{1} << 32;  // of the training job
  writer.append_events(std::vector<Event>{entered});
  writer.finish(outcome, {}, "complete");
  return path;
}

TEST(Iterations, ARowHasMeansOverTheGpusThatEndedIt) {
  const World world = training_world();
  const Outcome outcome = training_outcome();
  const std::vector<IterationRow> rows = iteration_rows(world, outcome);
  ASSERT_EQ(rows.size(), 2u);
  const IterationRow &first = rows[0], &second = rows[1];
  EXPECT_EQ(first.job, 1u);
  EXPECT_EQ(first.gpus, 4u);
  EXPECT_EQ(first.time_ps, 10 * kMs) << "from its begin";
  EXPECT_DOUBLE_EQ(first.compute_ps, 6.0 * kMs);
  EXPECT_DOUBLE_EQ(first.exposed_ps[kData], 2.0 * kMs);
  EXPECT_EQ(second.iteration, 1u);
  EXPECT_FALSE(second.ended());
  EXPECT_EQ(second.time_ps, -1);
  EXPECT_DOUBLE_EQ(second.compute_ps, 6.0 * kMs);
  Outcome whole = outcome;
  whole.iterations[1].gpus_ended = 4;
  EXPECT_EQ(iteration_rows(world, whole)[1].time_ps, 8 * kMs) << "from the end of the one before";
}

TEST(Iterations, ThoseThatOnlyComposeCollectivesHaveNoRows) {
  World world = training_world();
  Task composes = world.programs.tasks[0];
  composes.trains = false;
  composes.iterations = 1;
  world.programs.tasks.insert(world.programs.tasks.begin(), composes);
  for (ProgramRun& run : world.programs.runs) run.task = 1;
  Outcome outcome = training_outcome();
  outcome.iterations.insert(outcome.iterations.begin(), IterationOutcome());
  const InputFile file(write_run(outcome, false, world));
  EXPECT_EQ(file.signed_numbers("/iteration/last_begin_ps"), (std::vector<i64>{2 * kMs, 11 * kMs}));
}

TEST(Iterations, AreReadBackAsTheyWereWritten) {
  const RunSummary run = read_summary(write_run(training_outcome()));
  ASSERT_EQ(run.iterations.size(), 2u);
  const IterationRow &first = run.iterations[0], &second = run.iterations[1];
  EXPECT_EQ(first.begin_ps, 1 * kMs);
  EXPECT_EQ(first.first_end_ps, 10 * kMs);
  EXPECT_EQ(first.end_ps, 11 * kMs);
  EXPECT_EQ(first.max_compute_ps, 7 * kMs);
  EXPECT_EQ(first.max_exposed_ps[kData], 3 * kMs);
  EXPECT_EQ(first.exposed_ps[kTensor], 0);
  EXPECT_EQ(second.gpus_ended, 3u);
  EXPECT_FALSE(second.ended());
  EXPECT_EQ(run.collectives.size(), 1u) << "those of the training job are in sums";
  EXPECT_EQ(run.completion_events, 0u) << "and their completions are left out";
  EXPECT_EQ(read_summary(write_run(training_outcome(), true)).completion_events, 1u) << "unless somebody asks for them";
  EXPECT_EQ(exposed_groups(run.iterations), std::vector<Group>{Group::data});
}

TEST(Iterations, MeansLeaveOutWhatHasNotEnded) {
  const RunSummary run = read_summary(write_run(training_outcome()));
  ASSERT_TRUE(run.summaries);
  const std::vector<MeanIteration>& means = run.summaries->iterations;
  ASSERT_EQ(means.size(), 1u);
  EXPECT_EQ(means[0].job, 1u);
  EXPECT_EQ(means[0].ended, 1u);
  EXPECT_EQ(means[0].iterations, 2u);
  EXPECT_DOUBLE_EQ(means[0].time_ps, 10.0 * kMs);
}

TEST(Iterations, NothingHasNoMean) {
  IterationRow begun;
  begun.gpus = 4;
  const std::string text = iteration_table({begun}, 10);
  expect_contains(text, "0 GPUs done");
  EXPECT_EQ(text.find("0 ps"), std::string::npos) << text;
}

TEST(Iterations, StandInEveryReport) {
  const std::string path = write_run(training_outcome());
  const std::string text = describe_run(path);
  expect_contains(text, "job 1: 0");
  expect_contains(text, "3 GPUs done");
  const std::string compared = compare_runs(std::vector<std::string>{path, path});
  expect_contains(compared, "exposed, data");
  expect_contains(compared, "10 ms (of 1 of 2)");
  const nlohmann::ordered_json row = row_of(read_summary(path));
  EXPECT_DOUBLE_EQ(row["job1.iteration.time_ps"], 10.0 * kMs);
  EXPECT_DOUBLE_EQ(row["job1.iteration.exposed_data_ps"], 2.0 * kMs);
}

}  // namespace
}  // namespace heddle::test
