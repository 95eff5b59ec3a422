#include "host/cli/pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/quantity_text.hpp"

namespace heddle {
namespace {

constexpr const char* kSimulated = " simulated, ";
constexpr const char* kShare = " % of ";

std::string clock_text(double seconds) {
  const auto s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// A measure of progress: the share of the whole at the start of a process run and now.
struct Way {
  double begun = 0, now = 0;

  bool known() const { return now > begun && now < 1; }
  double left_s(double elapsed_s) const { return elapsed_s * (1 - now) / (now - begun); }
};

/// Rounded down, so that an unfinished run never shows 100 %.
int percent(const Way& way) { return static_cast<int>(std::min(100 * way.now, 99.0)); }

std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + ", " + b; }

}  // namespace

std::string hops_text(double packet_hops) {
  const double millions = packet_hops * 1e-6;
  return millions < 100 ? fmt::format("{:.2g} M packet-hops", millions) : fmt::format("{:.0f} M packet-hops", millions);
}

/// The progress by the measure that ends sooner, at the pace so far.
std::string Pace::done(const Look& now, const std::string& completed) const {
  Way time, work;
  if (horizon_ps_ < kNever && horizon_ps_ > 0) {
    const auto horizon_ps = static_cast<double>(horizon_ps_);
    time = {static_cast<double>(first_->now_ps) / horizon_ps, static_cast<double>(now.now_ps) / horizon_ps};
  }
  if (expected_hops_ > 0) {
    work = {static_cast<double>(first_->packet_hops) / expected_hops_,
            static_cast<double>(now.packet_hops) / expected_hops_};
  }
  const double elapsed_s = now.elapsed_s - first_->elapsed_s;
  const double by_time_s = time.known() ? time.left_s(elapsed_s) : HUGE_VAL;
  const double by_work_s = work.known() ? work.left_s(elapsed_s) : HUGE_VAL;
  if (time.known() && by_time_s <= by_work_s) {
    return joined(fmt::format("{}{}the horizon", percent(time), kShare), completed) +
           fmt::format(", at most {} left", clock_text(by_time_s));
  }
  const std::string foreseen = hops_text(expected_hops_);
  if (work.known()) {
    return joined(fmt::format("{}{}about {}", percent(work), kShare, foreseen), completed) +
           fmt::format(", about {} left", clock_text(by_work_s));
  }
  if (work.now >= 1)
    return joined(fmt::format("more than the {} foreseen", foreseen), completed) + ", time left unknown";
  return completed;
}

std::string Pace::look(double elapsed_s, TimePs now_ps, u64 packet_hops, const std::string& completed) {
  const Look now{elapsed_s, now_ps, packet_hops};
  if (!last_) {
    first_ = last_ = now;
    return "";
  }
  const double since_s = elapsed_s - last_->elapsed_s;
  const double rate = since_s > 0 ? static_cast<double>(packet_hops - last_->packet_hops) / since_s : 0;
  last_ = now;
  const std::string share = done(now, completed);
  return fmt::format("{}{}{}{}{:.2f} M packet-hops/s, {} elapsed", share, share.empty() ? "" : "; ", time_text(now_ps),
                     kSimulated, rate * 1e-6, clock_text(elapsed_s));
}

std::string progress_in(const std::string& log) {
  const std::size_t simulated = log.rfind(kSimulated);
  if (simulated == std::string::npos) return "";
  const std::size_t begin = log.rfind('\n', simulated) + 1;  // npos + 1: the start of the log
  const std::string line = log.substr(begin, log.find('\n', simulated) - begin);
  const std::size_t percent = line.find(kShare);
  if (percent == std::string::npos) {
    const std::size_t share = line.rfind("; ", simulated - begin);
    const std::size_t time = share == std::string::npos ? 0 : share + 2;
    return line.substr(time, simulated - begin - time);
  }
  const std::size_t number = line.rfind(' ', percent - 1) + 1;  // npos + 1: the start of the line
  return line.substr(number, percent - number) + " %";
}

}  // namespace heddle
