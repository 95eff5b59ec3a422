#include "io/results/series_rows.hpp"

#include <algorithm>

#include "io/results/parts.hpp"

namespace heddle {
namespace {

void write_row(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link) {
  parts.tier_series->append(time_ps, sum_by_tier(parts.tiers, per_link));
  if (parts.link_series) parts.link_series->append(time_ps, per_link);
  parts.idle.row_ps = time_ps;
}

void count_depths(ResultParts& parts, std::span<const LinkCounters> per_link, u64 instants) {
  for (LinkId l = 0; l < per_link.size(); ++l) {
    parts.queue_depth->count(parts.tiers.of_link[l], static_cast<i64>(per_link[l].queue_bytes), instants);
  }
}

void begin_stretch(IdleStretch& idle, TimePs time_ps, std::span<const LinkCounters> per_link) {
  idle.counters.assign(per_link.begin(), per_link.end());
  idle.first_ps = idle.last_ps = time_ps;
  idle.instants = 1;
}

/// Returns the number of equally spaced instants of a stretch up to `end_ps`, plus one where the end is none of them.
u64 instants_up_to(const IdleStretch& idle, TimePs end_ps) {
  if (end_ps < idle.first_ps) return 1;
  const TimePs last_ps = std::min(idle.last_ps, end_ps);
  if (idle.instants == 1) return idle.first_ps == end_ps ? 1 : 2;
  const TimePs step_ps = (idle.last_ps - idle.first_ps) / static_cast<TimePs>(idle.instants - 1);
  const TimePs after_first_ps = last_ps - idle.first_ps;
  const bool end_is_one = last_ps == end_ps && after_first_ps % step_ps == 0;
  return static_cast<u64>(after_first_ps / step_ps) + (end_is_one ? 1 : 2);
}

}  // namespace

bool append_instant(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link) {
  IdleStretch& idle = parts.idle;
  if (!idle.counters.empty() && std::ranges::equal(idle.counters, per_link)) {
    append_idle(parts, 1, time_ps);
    return false;
  }
  end_idle_stretch(parts);
  begin_stretch(idle, time_ps, per_link);
  return true;
}

void append_idle(ResultParts& parts, u64 instants, TimePs last_ps) {
  parts.idle.instants += instants;
  parts.idle.last_ps = last_ps;
}

void append_end(ResultParts& parts, TimePs end_ps, TimePs next_ps, std::span<const LinkCounters> per_link) {
  IdleStretch& idle = parts.idle;
  if (idle.counters.empty() || !std::ranges::equal(idle.counters, per_link)) {
    end_idle_stretch(parts);
    begin_stretch(idle, next_ps, per_link);
  }
  count_depths(parts, per_link, instants_up_to(idle, end_ps));
  const TimePs before_ps = idle.row_ps;
  if (idle.first_ps < end_ps) write_row(parts, idle.first_ps, per_link);
  if (end_ps > before_ps) {
    write_row(parts, end_ps, per_link);
  } else if (idle.first_ps >= end_ps) {  // nothing was completed in the last interval
    write_row(parts, idle.first_ps, per_link);
  }
  idle.instants = 0;
}

void end_idle_stretch(ResultParts& parts) {
  IdleStretch& idle = parts.idle;
  if (idle.instants == 0) return;
  write_row(parts, idle.first_ps, idle.counters);
  if (idle.last_ps > idle.first_ps) write_row(parts, idle.last_ps, idle.counters);
  count_depths(parts, idle.counters, idle.instants);
  idle.instants = 0;
}

}  // namespace heddle
