#include "host/cli/pace.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/config/units.hpp"

namespace heddle {
namespace {

std::string clock_text(double seconds) {
  const auto s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

std::string Pace::look(double elapsed_s, TimePs now_ps, u64 packet_hops) {
  const Look now{elapsed_s, now_ps, packet_hops};
  if (!last_) {
    first_ = last_ = now;
    return "";
  }
  const double since_s = elapsed_s - last_->elapsed_s;
  const double rate = since_s > 0 ? static_cast<double>(packet_hops - last_->packet_hops) / since_s : 0;
  std::string line =
      fmt::format("{} simulated, {:.2f} M packet-hops/s, {} elapsed",
                  human_quantity(static_cast<double>(now_ps), Quantity::time_ps), rate * 1e-6, clock_text(elapsed_s));
  if (horizon_ps_ < kNever && now_ps > first_->now_ps) {
    const double done_ps = static_cast<double>(now_ps - first_->now_ps);
    const double left_s = (elapsed_s - first_->elapsed_s) * static_cast<double>(horizon_ps_ - now_ps) / done_ps;
    line += fmt::format(", {:.0f} % of the horizon, at most {} left",
                        100 * static_cast<double>(now_ps) / static_cast<double>(horizon_ps_), clock_text(left_s));
  }
  last_ = now;
  return line;
}

}  // namespace heddle
