// A result file can be read after SIGKILL, whenever it comes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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
    EXPECT_TRUE(run->series_rows == 256 || (run->partial() && run->series_rows == 192))
        << run->series_rows << ": the end writes the last chunk";
    EXPECT_TRUE(run->status == "partial" || run->status == "complete") << run->status;
    if (std::filesystem::exists(path)) {
      EXPECT_EQ(run->status, "complete");
    }
  }
  EXPECT_LE(torn, 1u);
}

/// Writes a run whose end begins with a stop of the process.
[[noreturn]] void write_traced(const std::string& path) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(7);
  try {
    const World world = small_world();
    ResultWriter writer(path, world, small_settings());
    writer.append_series(1000, small_counters(world, 1));
    Outcome outcome = small_outcome();
    outcome.explanation = std::string(500, 'x');
    ::raise(SIGSTOP);
    writer.finish(outcome, {});
    ::_exit(0);
  } catch (...) {
    ::_exit(8);
  }
}

bool is_a_write(const __ptrace_syscall_info& call) {
  return call.op == PTRACE_SYSCALL_INFO_ENTRY && (call.entry.nr == SYS_pwrite64 || call.entry.nr == SYS_write);
}

/// Lets the child make `writes` calls that write, and kills it before the next; returns how many it has made. No value
/// where processes may not be traced.
std::optional<u32> kill_before_write(pid_t pid, u32 writes) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 7) return std::nullopt;
  EXPECT_TRUE(WIFSTOPPED(status)) << status;
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  u32 made = 0;
  while (::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) == 0) {
    ::waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status)) break;
    __ptrace_syscall_info call = {};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) <= 0) return std::nullopt;
    if (!is_a_write(call)) continue;
    if (made == writes) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return made;
    }
    ++made;
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return made;
}

std::optional<u32> run_until_write(const std::string& path, u32 writes) {
  const pid_t pid = ::fork();
  if (pid == 0) write_traced(path);
  return kill_before_write(pid, writes);
}

/// The texts of the end lie elsewhere than the attributes that name them: no order of writes may show one without the
/// other.
TEST(Kill, BeforeEveryWriteOfTheEnd) {
  constexpr u32 kLast = 24;
  const std::string folder = fresh_folder();
  const std::optional<u32> all = run_until_write(folder + "/whole.h5", ~0u);
  if (!all) GTEST_SKIP() << "processes may not be traced here";
  ASSERT_GT(*all, kLast);
  u32 complete = 0;
  for (u32 writes = *all - kLast; writes < *all; ++writes) {
    const std::string path = folder + "/run" + std::to_string(writes) + ".h5";
    ASSERT_EQ(run_until_write(path, writes), writes);
    const RunSummary run = read_summary(path + ".part");
    if (run.partial()) continue;
    ++complete;
    EXPECT_EQ(run.status, "complete");
    EXPECT_EQ(run.digest, "0123456789abcdef");
    EXPECT_EQ(run.explanation, std::string(500, 'x'));
    EXPECT_EQ(run.end_ps, 30'000'000);
  }
  EXPECT_GE(complete, 1u) << "killed after the last word was written and before the file was closed";
  EXPECT_LT(complete, kLast) << "killed before the last word was written";
}

}  // namespace
}  // namespace heddle::test
