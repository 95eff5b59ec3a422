#include "host/cli/sweep/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <utility>

#include "host/cli/exit_codes.hpp"
#include "host/cli/pace.hpp"
#include "host/cli/tell.hpp"
#include "io/error.hpp"
#include "io/results/reader.hpp"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kRewrite{500};
constexpr std::size_t kTailBytes = 4096;  // end of a log: some tens of lines
constexpr std::size_t kLineLength = 79;   // length of the line that rewrites itself, which must not wrap
constexpr int kMaxLines = 6;              // lines of an error that are repeated

/// The last error in a log, or else its last line; indented.
std::string message_in(const std::string& log) {
  std::istringstream stream(log);
  std::string last, error;
  int lines = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("error")) {
      error.clear();
      lines = 0;
    }
    if (!line.empty()) last = line;
    const bool part = line.starts_with("error") || !error.empty();
    if (part && lines++ < kMaxLines) error += "\n      " + line;
  }
  if (!error.empty()) return error;
  return last.empty() ? "" : "\n      " + last;
}

/// The status of a run that has ended in order.
std::string status_in(const SweepEntry& run) {
  try {
    return read_summary(run.result_path).status;
  } catch (const InputError& error) {
    return fmt::format("FAILED: {}", error.what());
  }
}

std::string how_it_ended(const SweepEntry& run, const ChildEnd& end, const ChildRun& child, bool stopped) {
  const std::string time = fmt::format("{:.1f} s", end.seconds);
  if (end.signal != 0) {
    if (stopped && end.signal == SIGTERM) return "stopped, nothing was to be saved yet";
    return fmt::format("FAILED after {}: killed by signal {} ({}){}; see {}{}", time, end.signal, strsignal(end.signal),
                       end.signal == SIGKILL ? ", perhaps for lack of memory" : "", run.log_path,
                       message_in(child.log_tail(kTailBytes)));
  }
  if (end.exit_code == kExitComplete || end.exit_code == kExitNotComplete)
    return fmt::format("{} in {}", status_in(run), time);
  if (stopped && end.exit_code == 128 + SIGTERM) return "stopped while it was set up, nothing was to be saved yet";
  if (end.exit_code == kExitRequeue) return fmt::format("saved after {}", time);
  return fmt::format("FAILED after {} with exit code {}; see {}{}", time, end.exit_code, run.log_path,
                     message_in(child.log_tail(kTailBytes)));
}

}  // namespace

SweepStatus::SweepStatus(std::vector<std::string> keys, std::size_t runs)
    : keys_(std::move(keys)), runs_(runs), terminal_(isatty(STDERR_FILENO) == 1) {}

std::string SweepStatus::values_of(const SweepEntry& run) const {
  std::string text;
  for (std::size_t i = 0; i < keys_.size(); ++i) text += fmt::format(" {}={}", keys_[i], run.values[i]);
  return text;
}

void SweepStatus::line(const SweepEntry& run, const std::string& text) {
  clear();
  tell(stdout, "{}{}: {}\n", run.name, values_of(run), text);
  std::fflush(stdout);
}

void SweepStatus::started(const SweepEntry& run) {
  if (!terminal_) line(run, "started");
}

void SweepStatus::ended(const SweepEntry& run, const ChildEnd& end, const ChildRun& child, bool stopped) {
  const std::string how = how_it_ended(run, end, child, stopped);
  line(run, stopped ? how : fmt::format("[{} of {}] {}", ++ended_, runs_, how));
}

void SweepStatus::not_started(const SweepEntry& run, const std::string& why) {
  line(run, fmt::format("[{} of {}] FAILED: {}", ++ended_, runs_, why));
}

void SweepStatus::not_tried(std::size_t runs, const std::string& why) {
  clear();
  std::fflush(stdout);
  tell(stderr,
       "error: nothing can be written to the sweep's folder any more ({}), so {} run{} not started, and logs may be "
       "empty; make room, then the same command resumes\n",
       why, runs, runs == 1 ? " is" : "s are");
}

void SweepStatus::stopping(std::size_t running) {
  clear();
  tell(stderr, "stopping: {} run{} to save; once more Ctrl-C ends them without\n", running,
       running == 1 ? " has" : "s have");
}

void SweepStatus::update(const std::vector<ActiveRun>& active) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || active.empty() || (open_ && now < next_)) return;
  std::string text = fmt::format("{} of {} done; running", ended_, runs_);
  for (const ActiveRun& one : active) {
    const std::string progress = progress_in(one.child.log_tail(kTailBytes));
    text += fmt::format(" {}{}", one.run->name, progress.empty() ? "" : fmt::format(" ({})", progress));
  }
  tell_raw(stderr, "\r\033[K" + printable(text.substr(0, kLineLength)));
  std::fflush(stderr);
  open_ = true;
  next_ = now + kRewrite;
}

void SweepStatus::clear() {
  if (open_) tell_raw(stderr, "\r\033[K");
  open_ = false;
}

}  // namespace heddle
