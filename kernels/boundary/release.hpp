// Releases packets on cut links that the other part has taken.
#pragma once

#include "kernels/boundary/words.hpp"

namespace heddle {

/// Removes packets of the k-th outgoing FIFO (over all neighbours) that have arrived before `now_ps`.
HEDDLE_FN void release(const View& v, u32 k, u32 parity, TimePs now_ps) {
  const CutFifo& fifo = v.boundary.out[k];
  if (fifo.pauses) return;
  const u32 q = queue_of(v, fifo);
  const Queue& queue = v.queue[q];
  u32 head = v.head[parity][q];
  while (head != queue.sent && v.pool.time_ps[queue.ring.at(head)] < now_ps) ++head;
  v.head[0][q] = v.head[1][q] = head;
}

}  // namespace heddle
