// Retransmission timeouts, of data (MODEL.md, 8.4) and of CTSs (9.4).
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Calls time_out(n, stream) for each of `count` streams that is overdue at t, in order. Returns an instant before
/// which no stream will be overdue. A stream has awaits_ack(); due_ps(n, stream) is when its first timeout is due.
template <class Stream, class Due, class TimeOut>
HEDDLE_FN TimePs check_timeouts(Stream* streams, u32 count, TimePs t, const Due& due_ps, const TimeOut& time_out) {
  TimePs bound = kNever;
  for (u32 n = 0; n < count; ++n) {
    Stream& stream = streams[n];
    if (!stream.awaits_ack()) continue;
    if (due_ps(n, stream) <= t) time_out(n, stream);
    if (!stream.awaits_ack()) continue;
    const TimePs due = due_ps(n, stream);
    if (due < bound) bound = due;
  }
  return bound;
}

}  // namespace heddle
