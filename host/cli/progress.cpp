#include "host/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cmath>

#include <cstdio>
#include <string>

#include "host/config/units.hpp"

namespace heddle {
namespace {

constexpr double kTerminalInterval_s = 0.2, kBatchInterval_s = 10;

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::string clock_text(double seconds) {
  const auto s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

Progress::Progress(TimePs horizon_ps, bool quiet)
    : horizon_ps_(horizon_ps),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

double Progress::wall_s() const { return seconds_between(start_, Clock::now()); }

void Progress::update(TimePs now_ps, u64 packet_hops) {
  const Clock::time_point now = Clock::now();
  const double since_s = seconds_between(last_, now);
  if (quiet_ || since_s < (terminal_ ? kTerminalInterval_s : kBatchInterval_s)) return;
  const double rate = static_cast<double>(packet_hops - last_hops_) / since_s;
  std::string line = fmt::format("{} simulated, {:.2f} M packet-hops/s, {} elapsed",
                                 human_quantity(static_cast<double>(now_ps), Quantity::time_ps), rate * 1e-6,
                                 clock_text(seconds_between(start_, now)));
  if (horizon_ps_ < kNever && now_ps > 0) {
    const double part = static_cast<double>(now_ps) / static_cast<double>(horizon_ps_);
    line += fmt::format(", {:.0f} % of the horizon, at most {} left", part * 100,
                        clock_text(seconds_between(start_, now) * (1 - part) / part));
  }
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
  line_open_ = terminal_;
  last_ = now;
  last_hops_ = packet_hops;
}

void Progress::finish() {
  if (line_open_) fmt::print(stderr, "\r\033[K");
  line_open_ = false;
}

}  // namespace heddle
