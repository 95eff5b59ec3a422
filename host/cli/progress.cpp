#include "host/cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "host/cli/tell.hpp"

namespace heddle {
namespace {

constexpr double kTerminalInterval_s = 0.2, kBatchInterval_s = 10, kLockInterval_s = 1;

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

/// Cuts a line at the terminal's width, as a line that wraps could not be rewritten.
std::string cut_to_terminal(const std::string& line) {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  return line.substr(0, size.ws_col - 1u);
}

}  // namespace

Progress::Progress(const World& world, double expected_hops, bool quiet, ResultLock* lock)
    : lock_(lock),
      start_(Clock::now()),
      messages_(world.traffic.messages.size()),
      collectives_(world.collectives.collectives.size()),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      printed_{Pace(world.clocks.horizon_ps, expected_hops), terminal_ ? kTerminalInterval_s : kBatchInterval_s,
               start_},
      locked_{Pace(world.clocks.horizon_ps, expected_hops), kLockInterval_s, start_} {}

bool Progress::Place::is_due(Clock::time_point now) const { return !begun || seconds_between(last, now) >= interval_s; }

void Progress::update(TimePs now_ps, u64 packet_hops, const Completed& completed) {
  const Clock::time_point now = Clock::now();
  const bool prints = !quiet_ && printed_.is_due(now), locks = lock_ != nullptr && locked_.is_due(now);
  if (!prints && !locks) return;
  const std::string counts = counts_of(completed);
  if (prints) print(look(printed_, now, now_ps, packet_hops, counts));
  if (locks) lock_->say(look(locked_, now, now_ps, packet_hops, counts));
}

std::string Progress::look(Place& place, Clock::time_point now, TimePs now_ps, u64 packet_hops,
                           const std::string& counts) const {
  place.begun = true;
  place.last = now;
  return place.pace.look(seconds_between(start_, now), now_ps, packet_hops, counts);
}

std::string Progress::counts_of(const Completed& completed) const {
  std::string counts;
  if (collectives_ > 0) counts = fmt::format("{} of {} collectives", completed.collectives(), collectives_);
  if (messages_ > 0)
    counts += fmt::format("{}{} of {} messages", counts.empty() ? "" : ", ", completed.messages(), messages_);
  return counts;
}

void Progress::print(const std::string& line) {
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
