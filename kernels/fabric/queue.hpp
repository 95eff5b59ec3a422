// Operations of a queue's producer other than serving it.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Makes room for `count` more packets in queue `q`, which this node produces. Returns whether its ring has moved. The
/// new ring is published here; the next tick must sync the buffers, even if nothing is sent.
HEDDLE_FN bool make_room(const View& v, u32 q, Queue& queue, u32 count, u32 parity) {
  const u32 head = v.head[parity][q];
  if (queue.tail + count - head <= queue.ring.entries()) return false;
  grow_ring(v.pool, queue.ring, head, queue.tail, queue.tail + count);
  v.published[parity ^ 1][q].ring = queue.ring;
  return true;
}

/// End of the packet that egress `link` is sending at t, else t. Exactly the starts before t must have been served.
HEDDLE_FN TimePs transmitter_free_ps(const View& v, u32 link, TimePs t) {
  const TimePs free_ps = v.egress[link].free_ps;
  return free_ps > t ? free_ps : t;
}

/// End of the packet that egress `link` is sending at t (started < t, end > t), else t. All starts before t must have
/// been served; later ones may have been, except of packets that got lost on the way.
HEDDLE_FN TimePs busy_until_ps(const View& v, u32 link, TimePs t, u32 parity) {
  const Egress& egress = v.egress[link];
  if (v.settings.links_fail && v.failing.link[link].sent_until_ps > t) return v.failing.link[link].sent_until_ps;
  for (u32 c = 0; c < v.settings.classes; ++c) {
    const u32 q = link * v.settings.classes + c;
    const Queue& queue = v.queue[q];
    for (u32 p = queue.sent; p != v.head[parity][q]; --p) {
      const u32 entry = queue.ring.at(p - 1);
      const TimePs end = v.pool.time_ps[entry] - egress.lambda_ps;
      if (end <= t) break;
      if (end - ser_ps(v.pool.packet[entry].wire_bytes(v.settings.wire_gap_bytes), egress.ps_per_byte_q16) < t)
        return end;
    }
  }
  return t;
}

}  // namespace heddle
