// Cumulative counters of one directed link, as series and reports read them.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

struct LinkCounters {
  u64 sent_bytes = 0;  // wire bytes that have left; of a packet that is being sent, what is out
  u64 queue_bytes =
      0;              // frame bytes waiting now at this egress (not cumulative); 0 at NICs, whose data waits in memory
  u64 paused_ps = 0;  // summed over the lossless classes
  u64 ecn_marks = 0;
  u64 drops = 0;  // at this port of the link's source: on the way out (class limit) or in (headroom, pool)
  bool operator==(const LinkCounters&) const = default;
};

}  // namespace heddle
