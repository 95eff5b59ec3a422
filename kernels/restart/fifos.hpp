// Packets with their times, in ring order.
#pragma once

#include "kernels/state/fifo.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// One packet (or item of delayed work) and its time.
template <class A>
void entry_fields(A& a, const RingPool& pool, u32 entry) {
  Packet& packet = pool.packet[entry];
  u64 high = static_cast<u64>(packet.w0) << 32 | packet.w1, low = static_cast<u64>(packet.w2) << 32 | packet.w3;
  a(high, low, pool.time_ps[entry]);
  if constexpr (A::kLoads) {
    packet = {static_cast<u32>(high >> 32), static_cast<u32>(high), static_cast<u32>(low >> 32), static_cast<u32>(low)};
  }
}

/// Positions [from, to) of a ring that holds them.
template <class A>
void ring_fields(A& a, const RingPool& pool, const Ring& ring, u32 from, u32 to) {
  for (u32 p = from; p != to; ++p) entry_fields(a, pool, ring.at(p));
}

/// Makes room for positions [head, end), of which [head, tail) may be filled.
inline void reserve(const RingPool& pool, Ring& ring, u32 head, u32 tail, u32 end) {
  if (end - head > ring.entries()) grow_ring(pool, ring, head, tail, end);
}

/// A FIFO of delayed work: the number of items, then each item. Loads into an empty FIFO and sets `first_due_ps`.
template <class A>
void fifo_fields(A& a, const RingPool& pool, Fifo& fifo, TimePs& first_due_ps) {
  u32 count = fifo.tail - fifo.head;
  a(count);
  if constexpr (A::kLoads) {
    reserve(pool, fifo.ring, 0, 0, count);
    fifo.head = 0;
    fifo.tail = count;
  }
  ring_fields(a, pool, fifo.ring, fifo.head, fifo.tail);
  if constexpr (A::kLoads) first_due_ps = fifo_due_ps(pool, fifo);
}

}  // namespace heddle
