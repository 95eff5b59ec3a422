// Packets with their times, as they stand in a ring.
#pragma once

#include "kernels/restart/tags.hpp"
#include "kernels/state/fifo.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// What the entries of a ring are: which of their words counts something, if any.
enum class Entry : u8 {
  packet,    // the PSN in the low 24 bits of w3
  slice_w1,  // work on a slice of a connection
  slice_w2,  // a task of the proxy, likewise
  lane       // a copy
};

/// One packet (or item of delayed work) and its time. Archives that keep words pack it into two.
template <class A>
void entry_fields(A& a, const RingPool& pool, u32 entry, Entry kind) {
  Packet& packet = pool.packet[entry];
  TimePs& time_ps = pool.time_ps[entry];
  if constexpr (A::kKeepsWords) {
    u64 high = static_cast<u64>(packet.w0) << 32 | packet.w1, low = static_cast<u64>(packet.w2) << 32 | packet.w3;
    a(high, low, time_ps);
    if constexpr (A::kLoads) {
      packet = {static_cast<u32>(high >> 32), static_cast<u32>(high), static_cast<u32>(low >> 32),
                static_cast<u32>(low)};
    }
  } else {
    u32 psn = packet.psn() << 8, rest = packet.w3 & ~0xffffffu;  // at the top, so that it counts mod 2^24
    switch (kind) {
      case Entry::packet:
        a(packet.w0, packet.w1, packet.w2, rest, counter(psn), instant(time_ps));
        packet.w3 = rest | psn >> 8;
        return;
      case Entry::slice_w1:
        return a(packet.w0, slice(packet.w1), packet.w2, packet.w3, instant(time_ps));
      case Entry::slice_w2:
        return a(packet.w0, packet.w1, slice(packet.w2), packet.w3, instant(time_ps));
      case Entry::lane:
        return a(packet.w0, packet.w1, packet.w2, packet.w3, instant(time_ps));
    }
  }
}

/// Positions [from, to) of a ring that holds them.
template <class A>
void ring_fields(A& a, const RingPool& pool, const Ring& ring, u32 from, u32 to, Entry kind) {
  for (u32 p = from; p != to; ++p) entry_fields(a, pool, ring.at(p), kind);
}

/// Makes room for positions [head, end), of which [head, tail) may be filled.
inline void reserve(const RingPool& pool, Ring& ring, u32 head, u32 tail, u32 end) {
  if (end - head > ring.entries()) grow_ring(pool, ring, head, tail, end);
}

/// A FIFO of delayed work: how many, and each. Loads into an empty one, and says when the first is due.
template <class A>
void fifo_fields(A& a, const RingPool& pool, Fifo& fifo, TimePs& first_due_ps, Entry kind) {
  u32 count = fifo.tail - fifo.head;
  a(count);
  if constexpr (A::kLoads) {
    reserve(pool, fifo.ring, 0, 0, count);
    fifo.head = 0;
    fifo.tail = count;
  }
  ring_fields(a, pool, fifo.ring, fifo.head, fifo.tail, kind);
  if constexpr (A::kWrites) first_due_ps = fifo_due_ps(pool, fifo);
}

}  // namespace heddle
