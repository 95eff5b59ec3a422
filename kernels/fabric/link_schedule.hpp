// The position of the run in a link's schedule of failures (MODEL.md, 2.5). Only for worlds in which links fail.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/state/packet.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

HEDDLE_FN bool is_down(const View& v, u32 link) { return v.egress[link].ps_per_byte_q16 == 0; }

/// When the link changes next, or kNever.
HEDDLE_FN TimePs next_change_ps(const View& v, u32 link) {
  const u32 next = v.failing.link[link].next;
  return next == v.failing.first[link + 1] ? kNever : v.failing.change[next].at_ps;
}

/// Whether a link that is up goes down before `before`.
HEDDLE_FN bool goes_down_before(const View& v, u32 link, TimePs before) {
  for (u32 i = v.failing.link[link].next; i != v.failing.first[link + 1]; ++i) {
    const LinkChange& change = v.failing.change[i];
    if (change.at_ps >= before) return false;
    if (change.state.ps_per_byte_q16 == 0) return true;
  }
  return false;
}

/// Speed (Q16 picoseconds per byte) at which egress `link` started its current packet, if it is sending one.
HEDDLE_FN u32 sent_at(const View& v, u32 link) {
  const Egress& egress = v.egress[link];
  if (!v.settings.links_fail) return egress.ps_per_byte_q16;
  const LinkCondition& condition = v.failing.link[link];
  return egress.free_ps == condition.sent_until_ps ? condition.sent_ps_per_byte_q16 : egress.ps_per_byte_q16;
}

/// Whether a packet that starts before `to`, with no change until then, may get lost.
HEDDLE_FN bool may_lose(const View& v, u32 link, TimePs to) {
  if (v.failing.link[link].loss_q64 != 0) return true;
  const Egress& egress = v.egress[link];
  return goes_down_before(
      v, link, to + ser_ps(kMaxFrameBytes + v.settings.wire_gap_bytes, egress.ps_per_byte_q16) + egress.lambda_ps);
}

}  // namespace heddle
