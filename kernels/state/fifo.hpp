// Delayed work of one endpoint, in order of due times.
#pragma once

#include "kernels/state/ring.hpp"

namespace heddle {

/// A FIFO of one endpoint: delayed work in order of due times. The owner keeps the due time of the first item (kNever:
/// none), because it checks many FIFOs at once.
struct Fifo {
  Ring ring;
  u32 head = 0, tail = 0;
  HEDDLE_FN bool empty() const { return head == tail; }
};

/// Due time of the first item, read from the ring.
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

/// Adds an item behind those that are due until then, which need not be all.
HEDDLE_FN void fifo_insert(const RingPool& pool, Fifo& fifo, TimePs& first_due_ps, const Packet& item, TimePs due_ps) {
  u32 at = fifo.tail;
  fifo_push(pool, fifo, first_due_ps, item, due_ps);
  if (fifo.tail == at) return;  // no memory is left
  for (; at != fifo.head && pool.time_ps[fifo.ring.at(at - 1)] > due_ps; --at) {
    pool.packet[fifo.ring.at(at)] = pool.packet[fifo.ring.at(at - 1)];
    pool.time_ps[fifo.ring.at(at)] = pool.time_ps[fifo.ring.at(at - 1)];
  }
  pool.packet[fifo.ring.at(at)] = item;
  pool.time_ps[fifo.ring.at(at)] = due_ps;
  if (at == fifo.head) first_due_ps = due_ps;
}

/// Takes the first item; the FIFO must not be empty.
HEDDLE_FN Packet fifo_pop(const RingPool& pool, Fifo& fifo, TimePs& first_due_ps) {
  const Packet item = pool.packet[fifo.ring.at(fifo.head++)];
  first_due_ps = fifo_due_ps(pool, fifo);
  return item;
}

}  // namespace heddle
