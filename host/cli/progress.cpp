#include "host/cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "host/cli/tell.hpp"

namespace heddle {
namespace {

constexpr double kTerminalInterval_s = 0.2, kBatchInterval_s = 10;

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

/// A line that wraps could not be rewritten: what is said last is cut.
std::string cut_to_terminal(const std::string& line) {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  return line.substr(0, size.ws_col - 1u);
}

}  // namespace

Progress::Progress(const World& world, double expected_hops, bool quiet)
    : pace_(world.clocks.horizon_ps, expected_hops),
      messages_(world.traffic.messages.size()),
      collectives_(world.collectives.collectives.size()),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

void Progress::update(TimePs now_ps, u64 packet_hops, const Completed& completed) {
  const Clock::time_point now = Clock::now();
  const bool due = seconds_between(last_, now) >= (terminal_ ? kTerminalInterval_s : kBatchInterval_s);
  if (quiet_ || (begun_ && !due)) return;
  std::string counts;
  if (collectives_ > 0) counts = fmt::format("{} of {} collectives", completed.collectives(), collectives_);
  if (messages_ > 0)
    counts += fmt::format("{}{} of {} messages", counts.empty() ? "" : ", ", completed.messages(), messages_);
  const std::string line = pace_.look(seconds_between(start_, now), now_ps, packet_hops, counts);
  begun_ = true;
  last_ = now;
  if (line.empty()) return;
  tell_raw(stderr, fmt::format("{}{}{}", terminal_ ? "\r\033[K" : "", terminal_ ? cut_to_terminal(line) : line,
                               terminal_ ? "" : "\n"));
  std::fflush(stderr);
  line_open_ = terminal_;
}

void Progress::warn(const std::string& text) {
  if (text.empty()) return;
  finish();
  tell(stderr, "warning: {}\n", text);
}

void Progress::finish() {
  if (line_open_) tell_raw(stderr, "\r\033[K");
  line_open_ = false;
}

}  // namespace heddle
