// All rings of a part and their used entries: the pool of queued packets without its gaps.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// Entries [head, head + count) of a ring.
struct LiveRing {
  Ring ring;
  u32 head, count;
  HEDDLE_FN u32 entry(u32 i) const { return ring.at(head + i); }
};

/// Number of rings of each kind; the same on the host and on a device.
struct RingNumbers {
  u32 queues = 0;   // of links, including ghosts, by class
  u32 fifos = 0;    // of endpoints
  u32 nvlinks = 0;  // two for each
  HEDDLE_FN u32 all() const { return queues + fifos + nvlinks; }
};

/// FIFOs per endpoint: a slow NIC's buffer, then those of its GPU.
HEDDLE_FN u32 fifos_of_endpoint(const View& v) { return v.collective.jobs == 0 ? 1 : 1 + kFifos; }

/// `v` is the host's View; `links` includes ghosts.
inline RingNumbers ring_numbers(const View& v, u32 links) {
  const Collectives& k = v.collective;
  return {links * v.settings.classes, v.endpoints * fifos_of_endpoint(v),
          v.settings.any_nvlink ? k.first_incoming[v.endpoints] * 2 : 0};
}

/// Rings by number: queues, FIFOs of endpoints, NVLinks. `parity` is that of the next tick.
struct LiveRings {
  const View* view;
  RingNumbers numbers;
  u32 parity;

  HEDDLE_FN LiveRing operator()(u32 i) const {
    const View& v = *view;
    const Collectives& k = v.collective;
    if (i < numbers.queues) return live(v.queue[i].ring, v.head[parity][i], v.queue[i].tail);
    i -= numbers.queues;
    if (i < numbers.fifos) {
      const u32 each = fifos_of_endpoint(v), e = i / each;
      const Fifo& fifo = i % each == 0 ? v.endpoint.nic[e].slow.buffer : k.gpu[e].fifo[i % each - 1];
      return live(fifo.ring, fifo.head, fifo.tail);
    }
    i -= numbers.fifos;
    return live(k.nvlink_queue[i].ring, k.nvlink_head[parity][i], k.nvlink_queue[i].tail);
  }

 private:
  /// After the memory for packets was used up, a queue may count more entries than its ring has.
  HEDDLE_FN static LiveRing live(const Ring& ring, u32 head, u32 tail) {
    return {ring, head, tail - head < ring.entries() ? tail - head : ring.entries()};
  }
};

/// Number of used entries of ring i.
struct LiveEntries {
  LiveRings rings;
  HEDDLE_FN u32 operator()(u32 i) const { return rings(i).count; }
};

}  // namespace heddle
