// How long a TCP sender waits for a segment that is out of order (MODEL.md, 8.11; RFC 8985). Pure arithmetic on
// TcpSender.
#pragma once

#include "kernels/state/tcp.hpp"

namespace heddle {

/// How long after the segment behind it one is still awaited; 0: it is lost at once. There must be a sample of a round
/// trip. `una`: of the Sender.
HEDDLE_FN TimePs rack_wait_ps(const TcpSender& c, u32 una) {
  if (!c.reordered && (psn_before(una, c.recover) || c.sacked >= kTcpDuplicates)) return 0;
  const TimePs wait = TimePs{c.rack_quarters} * c.min_rtt_ps >> 2;
  return wait < c.srtt_ps ? wait : c.srtt_ps;
}

/// A DSACK says that a segment was a duplicate: its first copy had not been lost. `end`: of what has been sent.
HEDDLE_FN void rack_take_dsack(TcpSender& c, u32 una, u32 end) {
  if (psn_before(una, c.rack_round)) return;
  c.rack_round = end;
  c.rack_recoveries = kRackRecoveries;
  if (c.rack_quarters < kRackMaxQuarters) ++c.rack_quarters;
}

/// A recovery has ended.
HEDDLE_FN void rack_note_recovery(TcpSender& c) {
  if (c.rack_recoveries != 0 && --c.rack_recoveries == 0) c.rack_quarters = 1;
}

}  // namespace heddle
