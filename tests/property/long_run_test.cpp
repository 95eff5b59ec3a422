// A long run that is stopped and resumed has the result of an uninterrupted one.
#include <gtest/gtest.h>

#include <fstream>

#include "host/base/error.hpp"
#include "tests/property/long_run.hpp"
#include "tests/scratch.hpp"

namespace heddle::property {
namespace {

RunState fresh(u64 worlds) {
  RunState state;
  state.first_seed = 50;
  state.worlds = worlds;
  state.generator = generator_hash();
  return state;
}

TEST(LongRun, StoppedAndResumedIsTheSame) {
  const test::ScratchFolder folder;
  LongRun run;
  run.jobs = 2;
  run.state_file = folder.path() / "state";
  run.examination.failed_folder = folder.path();
  RunState whole = fresh(60);
  ASSERT_TRUE(run_worlds(run, whole));
  EXPECT_EQ(whole.coverage.worlds, 60u);
  EXPECT_EQ(whole.failed_seeds, std::vector<u64>());

  RunState part = fresh(60);
  u64 seen = 0;
  run.on_progress = [&](const RunState& now) { seen = now.coverage.worlds; };
  run.stop = [&] { return seen >= 5; };
  while (!run_worlds(run, part)) {
    EXPECT_LT(part.coverage.worlds, 60u);
    part = read_state(run.state_file);
    run.jobs = 1;  // another number of jobs can resume it
    run.stop = [&, at = part.coverage.worlds] { return at < 50 && seen >= at + 10; };
  }
  EXPECT_EQ(part.coverage.line(), whole.coverage.line());
  for (u64 shard = 0; shard < kRunShards; ++shard) EXPECT_TRUE(part.finished(shard));
}

TEST(LongRun, StopsAfterSoManyFailures) {
  const test::ScratchFolder folder;
  LongRun run;
  run.examination.failed_folder = folder.path();
  run.world = [](u64 seed) { return seed % 2 == 0 ? WorldCase{"refused", "nonsense", {}, {}} : case_of_seed(seed); };
  run.failures = 2;
  RunState state = fresh(20);
  EXPECT_FALSE(run_worlds(run, state));
  EXPECT_EQ(state.failed_seeds.size(), 2u);
  EXPECT_FALSE(run_worlds(run, state)) << "resumed, it stops after two more";
  EXPECT_EQ(state.failed_seeds.size(), 4u);
  run.failures = 0;
  EXPECT_TRUE(run_worlds(run, state));
  EXPECT_EQ(state.failed_seeds.size(), 10u);
}

TEST(RunState, ForeignOrTornFilesAreRefused) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "state";
  write_state(file, fresh(10));
  EXPECT_EQ(read_state(file).worlds, 10u);
  RunState other_generator = fresh(10);
  other_generator.generator += 1;
  write_state(file, other_generator);
  EXPECT_THROW(read_state(file), ConfigError);
  write_state(file, fresh(10));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THROW(read_state(file), ConfigError);
  std::ofstream(file) << "something else\n";
  EXPECT_THROW(read_state(file), ConfigError);
  EXPECT_THROW(read_state(folder.path() / "not_there"), ConfigError);
}

}  // namespace
}  // namespace heddle::property
