#include "tests/property/long_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>
#include <type_traits>

#include "tests/property/sandbox.hpp"
#include "tests/scratch.hpp"

namespace heddle::property {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kStateInterval{3};
constexpr int kPollMs = 200;

/// A job's report on one world. Smaller than a pipe's buffer, so that it is written at once.
struct Record {
  u64 seed = 0;
  Verdict verdict = Verdict::equal;
  Coverage coverage;
};
static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= 512);

/// Runs the worlds of one shard in a child process.
[[noreturn]] void work(const LongRun& run, const RunState& state, u64 shard, bool first_is_suspect, int to_parent) {
  int status = 0;
  try {
    bool suspect = first_is_suspect;
    for (u64 seed = state.next_seed(shard); seed < state.first_seed + state.worlds; seed += kRunShards) {
      limit_time(run.examination.shrink_limit + 4 * run.examination.world_limit);  // the job may be shrinking a world
      Record record;
      record.seed = seed;
      const std::vector<u64> variants = run.variants.empty() ? variants_of_seed(seed) : run.variants;
      record.verdict = examine(run.world(seed), variants, run.examination, &record.coverage, suspect).verdict;
      suspect = false;
      if (write(to_parent, &record, sizeof(record)) != sizeof(record)) break;  // the parent is gone
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-property: %s\n", error.what());
    status = 1;
  }
  std::fflush(nullptr);
  _exit(status);
}

struct Job {
  pid_t process = 0;
  int from_child = -1;
  u64 shard = 0;
  bool suspect = false;  // its first world ended a process before
  u64 done_before = 0;   // worlds of the shard that were done when the job started
};

class Jobs {
 public:
  Jobs(const LongRun& run, RunState& state) : run_(run), state_(state), last_state_(Clock::now()) {
    for (u64 shard = kRunShards; shard-- > 0;) {
      if (!state.finished(shard)) waiting_.push_back(shard);
    }
  }
  ~Jobs() {
    for (const Job& job : jobs_) end(job);
  }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  bool run() {
    const Clock::time_point start = Clock::now();
    const u64 seconds_before = state_.seconds;
    const size_t failed_before = state_.failed_seeds.size();
    bool stopped = false;
    while (!stopped) {
      while (jobs_.size() < std::max(run_.jobs, 1u) && !waiting_.empty()) {
        const u64 shard = waiting_.back();
        waiting_.pop_back();
        start_job(shard, false);
      }
      if (jobs_.empty()) break;
      wait_for_records();
      const bool too_many = run_.failures != 0 && state_.failed_seeds.size() - failed_before >= run_.failures;
      stopped = too_many || (run_.stop && run_.stop());
      state_.seconds = seconds_before + static_cast<u64>((Clock::now() - start) / std::chrono::seconds(1));
      if (run_.on_progress) run_.on_progress(state_);
      if (Clock::now() - last_state_ >= kStateInterval) save();
    }
    save();
    return !stopped;
  }

 private:
  void start_job(u64 shard, bool suspect) {
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe to a job");
    std::fflush(nullptr);
    test::ScratchFolder::of_program();  // the parent's folder, so that files of a killed job are removed with it
    const pid_t process = fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "cannot make a process for a job");
    if (process == 0) {
      close(ends[0]);
      for (const Job& job : jobs_) close(job.from_child);
      std::signal(SIGINT, SIG_IGN);  // both may reach the whole group: the parent decides
      std::signal(SIGTERM, SIG_IGN);
      work(run_, state_, shard, suspect, ends[1]);
    }
    close(ends[1]);
    jobs_.push_back({process, ends[0], shard, suspect, state_.done[shard]});
  }

  static int end(const Job& job) {
    close(job.from_child);
    kill(job.process, SIGKILL);
    return wait(job);
  }

  static int wait(const Job& job) {
    int status = 0;
    while (waitpid(job.process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void wait_for_records() {
    std::vector<pollfd> pipes;
    for (const Job& job : jobs_) pipes.push_back({job.from_child, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), kPollMs) <= 0) return;  // nothing yet, or a signal
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents == 0) continue;
      Record record;
      const ssize_t bytes = read(jobs_[i].from_child, &record, sizeof(record));
      if (bytes == static_cast<ssize_t>(sizeof(record))) {
        take(jobs_[i], record);
      } else if (bytes == 0 || errno != EINTR) {
        close_job(i);
      }
    }
  }

  void take(const Job& job, const Record& record) {
    ++state_.done[job.shard];
    state_.coverage.add(record.coverage);
    if (record.coverage.worlds == 0) ++state_.coverage.worlds;  // no counts came with it
    if (record.verdict == Verdict::equal) return;
    state_.failed_seeds.push_back(record.seed);
    if (!run_.on_failure) return;
    std::ifstream file(run_.examination.failed_folder / (run_.world(record.seed).name + ".txt"));
    std::ostringstream report;
    report << file.rdbuf();
    run_.on_failure(report.str());
  }

  /// Closes a job that has ended, normally or not.
  void close_job(std::size_t i) {
    const Job job = jobs_[i];
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
    close(job.from_child);
    const int status = wait(job);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && state_.finished(job.shard)) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
      throw std::runtime_error(fmt::format("the job of shard {} failed at seed {} with the error above", job.shard,
                                           state_.next_seed(job.shard)));
    }
    try_again(job);
  }

  /// The next world of the job's shard ended its process: running it in a process of its own yields a report.
  void try_again(const Job& job) {
    if (job.suspect && job.done_before == state_.done[job.shard]) {
      throw std::runtime_error(
          fmt::format("seed {} ended its process twice, the second time while it was being "
                      "examined; run it alone with --world {}",
                      state_.next_seed(job.shard), state_.next_seed(job.shard)));
    }
    start_job(job.shard, true);
  }

  void save() {
    last_state_ = Clock::now();
    if (!run_.state_file.empty()) write_state(run_.state_file, state_);
  }

  const LongRun& run_;
  RunState& state_;
  std::vector<u64> waiting_;  // shards without a job, the next one last
  std::vector<Job> jobs_;
  Clock::time_point last_state_;
};

}  // namespace

bool run_worlds(const LongRun& run, RunState& state) { return Jobs(run, state).run(); }

}  // namespace heddle::property
