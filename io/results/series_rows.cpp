#include "io/results/series_rows.hpp"

#include <algorithm>

#include "io/results/parts.hpp"

namespace heddle {
namespace {

void write_row(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link) {
  parts.tier_series->append(time_ps, sum_by_tier(parts.tiers, per_link));
  if (parts.link_series) parts.link_series->append(time_ps, per_link);
}

void count_depths(ResultParts& parts, std::span<const LinkCounters> per_link, u64 instants) {
  for (LinkId l = 0; l < per_link.size(); ++l) {
    parts.queue_depth->count(parts.tiers.of_link[l], static_cast<i64>(per_link[l].queue_bytes), instants);
  }
}

}  // namespace

void append_instant(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link) {
  IdleStretch& idle = parts.idle;
  if (!idle.counters.empty() && std::ranges::equal(idle.counters, per_link)) {
    ++idle.instants;
    idle.last_ps = time_ps;
    return;
  }
  end_idle_stretch(parts);
  write_row(parts, time_ps, per_link);
  count_depths(parts, per_link, 1);
  idle.counters.assign(per_link.begin(), per_link.end());
}

void end_idle_stretch(ResultParts& parts) {
  IdleStretch& idle = parts.idle;
  if (idle.instants == 0) return;
  write_row(parts, idle.last_ps, idle.counters);
  count_depths(parts, idle.counters, idle.instants);
  idle.instants = 0;
}

}  // namespace heddle
