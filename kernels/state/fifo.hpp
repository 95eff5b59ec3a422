// Delayed work of one endpoint, in order of its due times.
#pragma once

#include "kernels/state/ring.hpp"

namespace heddle {

/// A FIFO that one endpoint keeps for itself: delayed work in order of its due times. When its first item is due stands
/// with its owner, who looks at many at once; kNever: there is none.
struct Fifo {
  Ring ring;
  u32 head = 0, tail = 0;
  HEDDLE_FN bool empty() const { return head == tail; }
};

/// When the first item is due, as its ring says.
HEDDLE_FN TimePs fifo_due_ps(const RingPool& pool, const Fifo& fifo) {
  return fifo.empty() ? kNever : pool.time_ps[fifo.ring.at(fifo.head)];
}

HEDDLE_FN void fifo_push(const RingPool& pool, Fifo& fifo, TimePs& first_due_ps, const Packet& item, TimePs due_ps) {
  if (fifo.tail - fifo.head >= fifo.ring.entries()) {
    grow_ring(pool, fifo.ring, fifo.head, fifo.tail, fifo.tail + 1);
    if (fifo.tail - fifo.head >= fifo.ring.entries()) return;  // no memory is left: the run ends with this tick
  }
  pool.packet[fifo.ring.at(fifo.tail)] = item;
  pool.time_ps[fifo.ring.at(fifo.tail)] = due_ps;
  if (fifo.empty()) first_due_ps = due_ps;
  ++fifo.tail;
}

/// Takes the first item; there is one.
HEDDLE_FN Packet fifo_pop(const RingPool& pool, Fifo& fifo, TimePs& first_due_ps) {
  const Packet item = pool.packet[fifo.ring.at(fifo.head++)];
  first_due_ps = fifo_due_ps(pool, fifo);
  return item;
}

}  // namespace heddle
