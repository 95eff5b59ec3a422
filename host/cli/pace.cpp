#include "host/cli/pace.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/config/units.hpp"

namespace heddle {
namespace {

constexpr const char* kSimulated = " simulated, ";
constexpr const char* kOfHorizon = " % of the horizon, ";

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
  std::string line = fmt::format("{}{}{:.2f} M packet-hops/s, {} elapsed",
                                 human_quantity(static_cast<double>(now_ps), Quantity::time_ps), kSimulated,
                                 rate * 1e-6, clock_text(elapsed_s));
  if (horizon_ps_ < kNever && now_ps > first_->now_ps) {
    const double done_ps = static_cast<double>(now_ps - first_->now_ps);
    const double left_s = (elapsed_s - first_->elapsed_s) * static_cast<double>(horizon_ps_ - now_ps) / done_ps;
    line +=
        fmt::format(", {:.0f}{}at most {} left", 100 * static_cast<double>(now_ps) / static_cast<double>(horizon_ps_),
                    kOfHorizon, clock_text(left_s));
  }
  last_ = now;
  return line;
}

std::string progress_in(const std::string& log) {
  const std::size_t simulated = log.rfind(kSimulated);
  if (simulated == std::string::npos) return "";
  const std::size_t begin = log.rfind('\n', simulated) + 1;  // npos + 1: the start of the log
  const std::string line = log.substr(begin, log.find('\n', simulated) - begin);
  const std::size_t percent = line.find(kOfHorizon);
  if (percent == std::string::npos) return line.substr(0, simulated - begin);
  const std::size_t number = line.rfind(' ', percent - 1) + 1;
  return line.substr(number, percent - number) + " %";
}

}  // namespace heddle
