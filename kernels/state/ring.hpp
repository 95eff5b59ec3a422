// Growable power-of-two rings of (packet, time) entries in one pool.
//
// A queue's FIFO has three positions: tail (queued), sent (on the wire) and head (taken by the next node), all counted
// mod 2^32. Only the producer grows its ring: it copies the live entries to a ring of twice the size and retires the
// old ring, which stays readable for the rest of the tick because the consumer may still be reading it. Addresses are
// not simulated state, so rings may be allocated in any order.
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {

inline constexpr u32 kRingClasses = 28;  // ring sizes 2^2 ... 2^29
inline constexpr u32 kSmallestRingLog2 = 2;
inline constexpr u32 kFreeStackEntries = 1u << 20;  // per size class; rings retired beyond that are not reused

/// One ring; mask = entries - 1. An empty Ring{} (mask 0, no storage) is grown at the first push.
struct Ring {
  u32 base = 0, mask = 0;
  HEDDLE_FN u32 entries() const { return mask == 0 ? 0 : mask + 1; }
  HEDDLE_FN u32 at(u32 position) const { return base + (position & mask); }
};

/// The storage of all rings and its free lists. A retired ring is reused after all nodes have completed the tick, or
/// tick batch.
struct RingPool {
  Packet* packet = nullptr;
  TimePs* time_ps = nullptr;
  u64 capacity = 0;              // entries
  u64* top = nullptr;            // bump pointer; may run past capacity when exhausted
  u64* charged = nullptr;        // entries that must not be allocated: their bytes are used elsewhere
  u32* free_base = nullptr;      // [kRingClasses][kFreeStackEntries]
  i32* free_count = nullptr;     // [kRingClasses] rings that may be popped in this tick
  u32* retired_base = nullptr;   // [kRingClasses][kFreeStackEntries]
  i32* retired_count = nullptr;  // [kRingClasses] rings pushed in this tick
  u32* exhausted = nullptr;      // set when capacity is reached: the run ends with an error
};

HEDDLE_FN u32 log2_floor(u32 x) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(x));
#else
  return 31u - static_cast<u32>(__builtin_clz(x));
#endif
}

/// Takes a ring of 2^log2 entries out of the pool.
HEDDLE_FN Ring take_ring(const RingPool& pool, u32 log2) {
  const u32 size_class = log2 - kSmallestRingLog2;
  Ring ring{0, (1u << log2) - 1};
  if (global_load(pool.free_count[size_class]) > 0) {
    const i32 left = global_add(pool.free_count[size_class], -1);
    if (left > 0) {
      ring.base = pool.free_base[static_cast<u64>(size_class) * kFreeStackEntries + static_cast<u32>(left - 1)];
      return ring;
    }
  }
  const u64 base = global_add(*pool.top, static_cast<u64>(1) << log2);
  if (base + (static_cast<u64>(1) << log2) + global_load(*pool.charged) > pool.capacity) {
    global_store(*pool.exhausted, 1u);
    return Ring{};
  }
  ring.base = static_cast<u32>(base);
  return ring;
}

/// Reduces the pool by `bytes` for state outside it: both grow during the run, within one limit.
HEDDLE_FN void charge_memory(const RingPool& pool, u64 bytes) {
  constexpr u64 kEntryBytes = sizeof(Packet) + sizeof(TimePs);
  const u64 entries = (bytes + kEntryBytes - 1) / kEntryBytes;
  const u64 charged = global_add(*pool.charged, entries) + entries;
  if (charged + global_load(*pool.top) > pool.capacity) global_store(*pool.exhausted, 1u);
}

/// Retires a ring, which may be reused in the next tick of all nodes.
HEDDLE_FN void retire_ring(const RingPool& pool, Ring ring) {
  const u32 size_class = log2_floor(ring.mask + 1) - kSmallestRingLog2;
  const i32 n = global_add(pool.retired_count[size_class], 1);
  if (n < static_cast<i32>(kFreeStackEntries)) {
    pool.retired_base[static_cast<u64>(size_class) * kFreeStackEntries + static_cast<u32>(n)] = ring.base;
  }
}

/// Grows a ring so that positions [head, end) fit. Rare; called by the producer only.
HEDDLE_RARE_FN void grow_ring(const RingPool& pool, Ring& ring, u32 head, u32 tail, u32 end) {
  u32 log2 = ring.mask == 0 ? kSmallestRingLog2 : log2_floor(ring.mask + 1) + 1;
  constexpr u32 kMaxLog2 = kSmallestRingLog2 + kRingClasses - 1;
  while (log2 <= kMaxLog2 && (1u << log2) < end - head) ++log2;
  if (log2 > kMaxLog2) {  // half a billion packets in one queue
    global_store(*pool.exhausted, 1u);
    return;
  }
  const Ring bigger = take_ring(pool, log2);
  if (bigger.mask == 0) return;  // the run ends with an error after this tick
  for (u32 p = head; p != tail; ++p) {
    pool.packet[bigger.at(p)] = pool.packet[ring.at(p)];
    pool.time_ps[bigger.at(p)] = pool.time_ps[ring.at(p)];
  }
  if (ring.mask != 0) retire_ring(pool, ring);
  ring = bigger;
}

}  // namespace heddle
