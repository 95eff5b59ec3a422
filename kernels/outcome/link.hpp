// What a run says of a directed link (MODEL.md, 11.4).
#pragma once

#include "kernels/outcome/columns.hpp"

namespace heddle {

struct LinkOutcome {
  u64 packets = 0;
  u64 sent_bytes = 0;
  u64 paused_ps = 0;
  u64 pauses = 0;
  u64 ecn_marks = 0;
  u64 egress_drops = 0;
  u64 ingress_drops = 0;
  u64 losses = 0;
  u64 peak_queue_bytes = 0;
  TimePs peak_queue_ps = -1;
  bool operator==(const LinkOutcome&) const = default;

  static constexpr auto columns() {
    using enum Join;
    using L = LinkOutcome;
    return std::tuple{
        Column{"packets", "1", "packets whose transmission has started", sum, &L::packets},
        Column{"sent_bytes", "B", "wire bytes that have left", sum, &L::sent_bytes},
        Column{"paused_ps", "ps", "time paused, summed over the lossless classes", sum, &L::paused_ps},
        Column{"pauses", "1", "PAUSEs that dst has decided for this link", sum, &L::pauses},
        Column{"ecn_marks", "1", "packets ECN-marked at its egress", sum, &L::ecn_marks},
        Column{"egress_drops", "1", "packets dropped at its egress: class limit, watchdog, link down", sum,
               &L::egress_drops},
        Column{"ingress_drops", "1",
               "packets that came by it and were dropped by dst: headroom overrun, pool overflow, no route", sum,
               &L::ingress_drops},
        Column{"losses", "1", "packets that started on it and were lost on the way: link down, corrupted", sum,
               &L::losses, true},
        Column{"peak_queue_bytes", "B", "largest queue of its egress, all classes together; 0 at NICs", one,
               &L::peak_queue_bytes},
        Column{"peak_queue_ps", "ps", "when the queue was first so large, -1 never", one, &L::peak_queue_ps},
    };
  }
};
static_assert(lists_all<LinkOutcome>());

}  // namespace heddle
