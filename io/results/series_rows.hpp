// Which instants of a series become rows.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/outcome/counters.hpp"

namespace heddle {

struct ResultParts;

/// The latest instants at which every counter was the same. They are not rows yet: only later instants show whether
/// more of the same follow, and where the run ends. The first and the last instant of such a stretch become rows, so
/// nothing is lost (those between equal both) and a difference between two rows never spreads over more than the
/// interval in which it happened.
struct IdleStretch {
  std::vector<LinkCounters> counters;  // per link; empty before the first instant
  TimePs first_ps = -1, last_ps = -1;
  u64 instants = 0;
  TimePs row_ps = -1;  // time of the last row that was written
};

/// Adds the counters of every link at `time_ps` to the rows of /series, and the counts of every instant, also of those
/// that become no row, to /histogram/queue_depth. Returns whether any has changed since the instant before.
bool append_instant(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link);

/// Adds the same counters at `instants` more instants, equally spaced, of which `last_ps` is the last.
void append_idle(ResultParts& parts, u64 instants, TimePs last_ps);

/// Ends the series at `end_ps` with these counters; `next_ps` would have been the next instant. The last row is the
/// end. A run may have been sampled once more after its end, because the end became known later: rows and counts are
/// the same in both cases.
void append_end(ResultParts& parts, TimePs end_ps, TimePs next_ps, std::span<const LinkCounters> per_link);

/// Writes the rows of the present stretch.
void end_idle_stretch(ResultParts& parts);

}  // namespace heddle
