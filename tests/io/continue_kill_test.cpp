// Killed at random moments, also while it writes a checkpoint or begins to resume: the final file is that of a run that
// nobody killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "io/checkpoint/slots.hpp"
#include "io/checkpoint/writer.hpp"
#include "io/results/reader.hpp"
#include "tests/io/child.hpp"
#include "tests/io/equal_files.hpp"
#include "tests/io/random_run.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr u64 kSteps = 400, kStepsPerCheckpoint = 7;

RunIdentity identity() { return identity_of(small_settings().provenance); }

void write_checkpoint_of(const ResultWriter& writer, const std::string& path, u64 step) {
  std::vector<u64> words;
  writer.save(words);
  CheckpointWriter checkpoint(next_checkpoint_path(path, identity()), {identity(), static_cast<TimePs>(step)});
  checkpoint.begin("result");
  checkpoint.append(words);
  checkpoint.finish();
}

/// One attempt at the run: from the newest checkpoint, or anew when there is none.
void attempt(const std::string& path, u64 seed) {
  const World world = small_world();
  ResultSettings settings = settings_with_links();
  const NewestCheckpoint newest = newest_checkpoint(path, identity());
  std::unique_ptr<ResultWriter> writer;
  u64 step = 0;
  if (newest.reader) {
    step = static_cast<u64>(newest.reader->header().time_ps);
    writer = std::make_unique<ResultWriter>(path, world, settings, newest.reader->read("result"));
  } else {
    settings.overwrite = true;
    writer = std::make_unique<ResultWriter>(path, world, settings);
  }
  for (; step < kSteps; ++step) {
    if (step % kStepsPerCheckpoint == kStepsPerCheckpoint - 1) write_checkpoint_of(*writer, path, step);
    random_step(*writer, world, seed, step);
  }
  writer->finish(small_outcome(), {});
  remove_checkpoints(path);
}

/// True when the run has ended before the kill.
bool attempt_killed_after(const std::string& path, u64 seed, u32 delay_us) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int status = 8;
    try {
      attempt(path, seed);
      status = 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(status);
  }
  ::usleep(delay_us);
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "an attempt failed by itself";
  return WIFEXITED(status);
}

/// Whatever a kill leaves can be read, and no checkpoint is passed over for being damaged.
void check_left(const std::string& path) {
  const NewestCheckpoint newest = newest_checkpoint(path, identity());
  EXPECT_TRUE(newest.passed_over.empty());
  if (!newest.reader || fs::exists(path)) return;
  const std::string status = read_summary(path + ".part").status;
  EXPECT_TRUE(status == "partial" || status == "complete") << status;
}

TEST(ContinueKill, AtRandomMomentsUntilItIsDone) {
  u64 kills = 0, resumed = 0, beginnings = 0;
  for (u64 seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<u32>(seed));
    const std::string folder = fresh_folder(), path = folder + "/run.h5";
    const std::string whole =
        uninterrupted_run(folder + "/whole.h5", small_world(), settings_with_links(), seed, kSteps);
    u32 max_us = 40'000;  // growing, so that it ends on any machine
    while (!fs::exists(path)) {
      const bool has_checkpoint = newest_checkpoint(path, identity()).reader != nullptr;
      has_checkpoint ? ++resumed : ++beginnings;
      if (!attempt_killed_after(path, seed, random() % max_us)) ++kills;
      max_us += max_us / 8;
      check_left(path);
    }
    EXPECT_EQ(first_difference(path, whole), "");
  }
  EXPECT_GE(kills, 24u) << "hardly a run was killed; the test tests little";
  EXPECT_GE(resumed, 12u);
  RecordProperty("kills", static_cast<int>(kills));
  RecordProperty("resumed", static_cast<int>(resumed));
  RecordProperty("from the beginning", static_cast<int>(beginnings));
}

}  // namespace
}  // namespace heddle::test
