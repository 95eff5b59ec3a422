// Retransmission timeouts, of data (MODEL.md, 8.4) and of CTSs (9.4).
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Calls time_out(n, stream) for each of `count` streams that is overdue at t, in order. Returns an instant before
/// which none will be. A stream says awaits_ack() and has last_progress_ps.
template <class Stream, class TimeOut>
HEDDLE_FN TimePs check_timeouts(Stream* streams, u32 count, TimePs rto_ps, TimePs t, const TimeOut& time_out) {
  TimePs bound = kNever;
  for (u32 n = 0; n < count; ++n) {
    Stream& stream = streams[n];
    if (!stream.awaits_ack()) continue;
    if (stream.last_progress_ps + rto_ps <= t) time_out(n, stream);
    const TimePs deadline = stream.last_progress_ps + rto_ps;
    if (deadline < bound && stream.awaits_ack()) bound = deadline;
  }
  return bound;
}

}  // namespace heddle
