#include "host/cli/sweep/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "host/cli/child_run.hpp"
#include "host/cli/disk_room.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/signals.hpp"
#include "host/cli/sweep/labels.hpp"
#include "host/cli/sweep/report.hpp"
#include "host/cli/sweep/result.hpp"
#include "host/cli/sweep/status.hpp"
#include "host/cli/tell.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kLook{200};

/// A lock held while the runs of a folder are started; without locks in the file system, those of result files remain.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ < 0) throw InputError(fmt::format("{}: cannot open this folder: {}", folder, std::strerror(errno)));
    if (::flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(folder_);
    throw IoError(
        fmt::format("{}: another `heddle sweep --run` runs this sweep now; wait for it to end, or stop it", folder));
  }
  ~FolderLock() { ::close(folder_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

class Runner {
 public:
  Runner(const std::string& folder, const SweepFolder& sweep, const std::vector<SweepEntry>& pending,
         const SweepPlan& plan)
      : folder_(folder), plan_(plan), status_(sweep.keys, pending.size()) {
    for (const SweepEntry& run : pending) pending_.push_back(&run);
  }

  /// Returns whether the user has stopped the sweep.
  bool run_all() {
    const StopSignals signals;
    const ChildSignals children;
    while (!active_.empty() || (!pending_.empty() && !stopped_)) {
      if (!stopped_ && asked_to_stop(signals)) stop(signals);
      while (!stopped_ && active_.size() < plan_.jobs && !pending_.empty()) start();
      children.wait(kLook);
      look();
    }
    status_.clear();
    return stopped_;
  }

 private:
  static bool asked_to_stop(const StopSignals& signals) {
    return signals.interrupted() || signals.terminated() || signals.asked_to_save();
  }

  /// With --resume both signals save and end the runs. A second Ctrl-C ends this program and, by SIGTERM, the runs.
  void stop(const StopSignals& signals) {
    stopped_ = true;
    status_.stopping(active_.size());
    for (const ActiveRun& active : active_) active.child.send(signals.asked_to_save() ? SIGUSR1 : SIGTERM);
  }

  void start() {
    const SweepEntry& run = *pending_.front();
    pending_.pop_front();
    std::vector<std::string> arguments = {"run", run.config_path, "--resume", "auto"};
    arguments.insert(arguments.end(), plan_.options.begin(), plan_.options.end());
    try {
      active_.push_back({&run, ChildRun(arguments, run.log_path)});
      status_.started(run);
    } catch (const OutputError& error) {
      status_.not_started(run, error.what());
    }
  }

  /// Skips the pending runs on a full disk, where they would fail, too, without even a log.
  void leave_out_the_rest() {
    const std::string why = pending_.empty() ? "" : why_no_room(folder_);
    if (why.empty()) return;
    status_.not_tried(pending_.size(), why);
    pending_.clear();
  }

  void look() {
    std::vector<ActiveRun> running;
    for (ActiveRun& active : active_) {
      if (const auto end = active.child.poll()) {
        status_.ended(*active.run, *end, active.child, stopped_);
        if (end->exit_code == kExitInternalError) leave_out_the_rest();
      } else {
        running.push_back(std::move(active));
      }
    }
    active_ = std::move(running);
    status_.update(active_);
  }

  const std::string& folder_;
  const SweepPlan& plan_;
  std::deque<const SweepEntry*> pending_;
  std::vector<ActiveRun> active_;
  SweepStatus status_;
  bool stopped_ = false;
};

/// The variable that names the command of which this sweep is a part, as `heddle step` sets it: that one resumes it,
/// too.
constexpr const char* kPartOf = "HEDDLE_PART_OF";

int conclude(const std::string& folder, bool stopped) {
  const char* const part_of = std::getenv(kPartOf);
  const SweepReport report = report_sweep(folder);
  if (!report.warnings.empty()) {
    std::fflush(stdout);
    tell(stderr, "{}", report.warnings);
  }
  if (report.missing.empty()) {
    if (part_of == nullptr)
      tell(stdout, "every run has a result; to compare them:\n  heddle compare {}\n", shell_word(folder));
    return kExitComplete;
  }
  std::fflush(stdout);
  tell(stderr, "{}: not every run has a result of its configuration\n{}{}", folder, report.reasons, report.missing);
  if (!stopped) return kExitNotComplete;
  const std::string resume = fmt::format("heddle sweep {} --run", shell_word(folder));
  tell(stderr, "stopped; to resume:\n  {}\n", part_of == nullptr ? resume : part_of);
  return kExitRequeue;
}

/// Refuses runs that would have wrong labels in every table. An unreadable configuration is reported by its run.
void refuse_wrong_labels(const std::string& folder, const std::vector<SweepEntry>& runs) {
  std::string wrong;
  for (const SweepEntry& run : runs) {
    const std::optional<std::string> text = OrdinaryFile(run.config_path).read_all(kMaxConfigBytes);
    if (text) wrong += check_labels(run, *text, run.config_path).wrong;
  }
  if (wrong.empty()) return;
  throw ConfigError(fmt::format(
      "{}: its configurations are not what its axes.csv says, so results would stand under wrong values:{}\nundo what "
      "was edited, or write the sweep again with `heddle sweep --force`",
      folder, wrong));
}

}  // namespace

int run_sweep(const std::string& folder, const SweepRunArguments& arguments) {
  const FolderLock lock(folder);
  const SweepFolder sweep = read_sweep_folder(folder);
  std::vector<SweepEntry> pending = sweep.runs;
  std::erase_if(pending, is_over);
  if (pending.empty()) return conclude(folder, false);
  refuse_wrong_labels(folder, pending);
  const SweepPlan plan = plan_of(pending, arguments);
  tell(stdout, "sweep {}: {} of {} runs to do, {}\n", folder, pending.size(), sweep.runs.size(), plan.text);
  std::fflush(stdout);
  if (!plan.warning.empty()) tell(stderr, "warning: {}\n", plan.warning);
  const bool stopped = Runner(folder, sweep, pending, plan).run_all();
  return conclude(folder, stopped);
}

}  // namespace heddle
