// Which instants of a series become rows.
#pragma once

#include <span>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/observe/counters.hpp"

namespace heddle {

struct ResultParts;

/// An idle stretch: the last row that was written, and the instants after it at which every counter was the same.
/// Of such a stretch the first and the last instant become rows, so nothing is lost (what lies between equals both) and
/// a difference between two rows never spreads over more than the interval in which it happened.
struct IdleStretch {
  std::vector<LinkCounters> counters;  // per link, of the last row; empty before the first
  u64 instants = 0;                    // after that row, without a change
  TimePs last_ps = -1;                 // the latest of them
};

/// Counters of every link at `time_ps`: rows of /series, counts of /histogram/queue_depth (of every instant, also of
/// those that become no row).
void append_instant(ResultParts& parts, TimePs time_ps, std::span<const LinkCounters> per_link);

/// Writes the last instant of an idle stretch, if there is one.
void end_idle_stretch(ResultParts& parts);

}  // namespace heddle
