#include "partition/halo/repeated_rows.hpp"

#include <algorithm>

namespace heddle {
u64 RepeatedRows::plan(TimePs next_ps, u64 times) {
  const std::size_t most =
      std::max<std::size_t>(most_bytes_ / (std::max<std::size_t>(first_.size(), 1) * sizeof(LinkCounters)), 1);
  const TimePs end_ps = start_ps_ + static_cast<TimePs>(times) * period_ps_;
  TimePs row_ps = next_ps;
  for (; row_ps <= end_ps; row_ps += interval_ps_) {
    if (at_.size() == most && !at_.contains(phase_of(row_ps))) break;
    at_.try_emplace(phase_of(row_ps));
  }
  return row_ps > end_ps ? times : static_cast<u64>((row_ps - start_ps_ - 1) / period_ps_);
}

std::vector<TimePs> RepeatedRows::instants_ps() const {
  std::vector<TimePs> instants_ps;
  for (const auto& [phase_ps, counters] : at_) instants_ps.push_back(start_ps_ + phase_ps);
  return instants_ps;
}

bool RepeatedRows::holds(TimePs row_ps) const { return row_ps >= start_ps_ && at_.contains(phase_of(row_ps)); }

std::span<LinkCounters> RepeatedRows::at(TimePs instant_ps) {
  std::vector<LinkCounters>& counters = at_.at(instant_ps - start_ps_);
  counters.resize(first_.size());
  return counters;
}

void RepeatedRows::end_period(std::span<const LinkCounters> last) {
  for (std::size_t l = 0; l < last.size(); ++l) {
    by_[l].sent_bytes = last[l].sent_bytes - first_[l].sent_bytes;
    by_[l].paused_ps = last[l].paused_ps - first_[l].paused_ps;
    by_[l].ecn_marks = last[l].ecn_marks - first_[l].ecn_marks;
    by_[l].drops = last[l].drops - first_[l].drops;
  }
}

void RepeatedRows::read(TimePs row_ps, std::span<LinkCounters> out) const {
  const std::vector<LinkCounters>& at = at_.at(phase_of(row_ps));
  const u64 times = static_cast<u64>((row_ps - start_ps_) / period_ps_);
  for (std::size_t l = 0; l < out.size(); ++l) {
    out[l] = at[l];
    out[l].sent_bytes += times * by_[l].sent_bytes;
    out[l].paused_ps += times * by_[l].paused_ps;
    out[l].ecn_marks += times * by_[l].ecn_marks;
    out[l].drops += times * by_[l].drops;
  }
}

}  // namespace heddle
