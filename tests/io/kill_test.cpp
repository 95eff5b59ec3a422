// A result file can be read after SIGKILL, whenever it comes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <random>

#include "io/results/input_file.hpp"
#include "io/results/reader.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

void tell(int descriptor) {
  const char byte = 1;
  if (::write(descriptor, &byte, 1) != 1) ::_exit(9);
}

/// Writes until it is killed, or to the end after `rows` instants. Tells `ready` when the file is open, and `ending`
/// before it finishes.
[[noreturn]] void write_run(const std::string& path, u64 rows, int ready, int ending) {
  try {
    const World world = small_world();
    ResultSettings settings = small_settings();
    settings.link_series = true;
    ResultWriter writer(path, world, settings);
    tell(ready);
    const std::vector<Event> events = small_events();
    for (u64 i = 1; i <= rows; ++i) {
      writer.append_series(static_cast<TimePs>(i * 1000), small_counters(world, i));
      for (int k = 0; k < 8; ++k) writer.append_events(events);
    }
    tell(ending);
    writer.finish(small_outcome(), {});
    ::_exit(0);
  } catch (...) {
    ::_exit(8);
  }
}

struct Child {
  pid_t pid;
  int ready, ending;  // read ends
};

Child start(const std::string& path, u64 rows) {
  int ready[2], ending[2];
  EXPECT_EQ(::pipe(ready), 0);
  EXPECT_EQ(::pipe(ending), 0);
  const pid_t pid = ::fork();
  if (pid == 0) write_run(path, rows, ready[1], ending[1]);
  ::close(ready[1]);
  ::close(ending[1]);
  return {pid, ready[0], ending[0]};
}

void kill_after(const Child& child, int wait_for, u32 delay_us) {
  char byte = 0;
  ASSERT_EQ(::read(wait_for, &byte, 1), 1);
  ::usleep(delay_us);
  ::kill(child.pid, SIGKILL);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0)
      << "the writer failed by itself: " << WEXITSTATUS(status);
  ::close(child.ready);
  ::close(child.ending);
}

/// Reads everything that the file holds and checks that the rows are those that were written.
RunSummary check_rows(const std::string& path) {
  const std::string found = std::filesystem::exists(path) ? path : path + ".part";
  const RunSummary run = read_summary(found);
  const InputFile file(found);
  const std::vector<i64> times = file.signed_numbers("/series/link/time_ps");
  const std::vector<u64> sent = file.numbers("/series/link/sent_bytes");
  EXPECT_LE(times.size() * 8, sent.size());
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i], static_cast<i64>((i + 1) * 1000));
    for (u64 l = 0; l < 8; ++l) EXPECT_EQ(sent[i * 8 + l], 1000 * (i + 1) + l);
  }
  const std::vector<u64> kinds = file.numbers("/event/pfc/kind");
  for (size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(kinds[i], 2 + i % 2);
  EXPECT_EQ(run.config_toml, small_settings().provenance.inputs.config_toml);
  return run;
}

/// Counts files that a kill has torn (io/README.md: once in several hundred kills), which are refused.
std::optional<RunSummary> check_unless_torn(const std::string& path, u32& torn) {
  try {
    return check_rows(path);
  } catch (const InputError&) {
    ++torn;
    return std::nullopt;
  }
}

TEST(Kill, WhileRowsAreWritten) {
  std::mt19937 random(1);
  u64 rows = 0;
  u32 torn = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const std::string path = fresh_folder() + "/run.h5";
    const Child child = start(path, 1'000'000);
    kill_after(child, child.ready, random() % 60'000);
    const std::optional<RunSummary> run = check_unless_torn(path, torn);
    if (!run) continue;
    EXPECT_TRUE(run->partial());
    rows += run->series_rows;
  }
  EXPECT_LE(torn, 1u);
  EXPECT_GT(rows, 0u) << "every kill came before the first row; the test tests nothing";
}

TEST(Kill, WhileTheRunIsFinished) {
  std::mt19937 random(2);
  u32 torn = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const std::string path = fresh_folder() + "/run.h5";
    const Child child = start(path, 256);
    kill_after(child, child.ending, random() % 12'000);
    const std::optional<RunSummary> run = check_unless_torn(path, torn);
    if (!run) continue;
    EXPECT_EQ(run->series_rows, 256u);
    EXPECT_TRUE(run->status == "partial" || run->status == "complete") << run->status;
    if (std::filesystem::exists(path)) {
      EXPECT_EQ(run->status, "complete");
    }
  }
  EXPECT_LE(torn, 1u);
}

}  // namespace
}  // namespace heddle::test
