// What the phases of a switch pass hand to each other: plain arrays, in shared memory when they fit, in a slab
// otherwise.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Scratch for `ports` ports and up to `packets` arrivals in one pass. More arrivals than that only make the pass cover
/// a shorter stretch of time.
struct SwitchScratch {
  u32 packets = 0;            // capacity
  u32 bins = 0;               // slots per tick + 1
  u64* key = nullptr;         // [packets] time in pass 28 | ingress port 12 | index 24
  u64* spare = nullptr;       // [packets]
  TimePs* next_ps = nullptr;  // [ports] earliest thing to come, by switch of the team
  u32* source = nullptr;      // [packets] pool entry
  u32* queue_of = nullptr;    // [packets] egress queue
  u32* rank_of = nullptr;     // [packets] place in it, in order of being counted
  u32* list = nullptr;        // [ports] that have something to do
  u32* listed = nullptr;      // [1] how many
  u32* happened = nullptr;    // [1] whether anything did, in this tick
  u32* sources = nullptr;     // [1] how many of them did before this window's arrivals were routed
  u32* position = nullptr;    // [ports] in the list, kNone: not there
  u32* busy = nullptr;        // [ports] something happened at this port in this tick
  u32* due = nullptr;         // [ports * classes + 1] arrivals per listed ingress queue, then their offsets
  u32* run = nullptr;         // [ports * classes + 1] arrivals per egress queue, then their offsets
  u32* cursor = nullptr;      // [ports * classes]
  u32* fresh = nullptr;       // [ports * classes] tail before this pass
  u32* arriving = nullptr;    // [ports * classes] frame bytes for each egress queue with a limit
  u32* arrived = nullptr;     // [ports * pfc] frame bytes charged to each account in this pass
  u32* released = nullptr;    // [ports * pfc]
  u32* watched = nullptr;     // [ports * pfc] the slots of this account must be looked at
  u32* bin = nullptr;         // [ports * pfc * bins] releases by slot, of watched accounts
  u32* careful = nullptr;     // [1] something could be dropped in this window
  u32* broken = nullptr;      // [1] a phase did not leave what it must; only builds with HEDDLE_CHECK look

  /// Bytes of the whole scratch.
  static constexpr u64 bytes(u32 ports, u32 classes, u32 pfc, u32 bins, u32 packets) {
    const u64 queues = static_cast<u64>(ports) * classes;
    const u64 accounts = static_cast<u64>(ports) * pfc;
    const u64 words =
        2 * (queues + 1) + 3 * queues + 3 * accounts + accounts * bins + 3ull * packets + 3ull * ports + 5;
    return 8 * (2ull * packets + ports) + 4 * words;
  }

  /// Lays the arrays out in `memory`, which is 8-byte aligned.
  HEDDLE_FN void place(void* memory, u32 ports, u32 classes, u32 pfc, u32 bins_per_account, u32 capacity) {
    const u32 queues = ports * classes;
    const u32 accounts = ports * pfc;
    packets = capacity;
    bins = bins_per_account;
    key = static_cast<u64*>(memory);
    spare = key + capacity;
    next_ps = reinterpret_cast<TimePs*>(spare + capacity);
    source = reinterpret_cast<u32*>(next_ps + ports);
    queue_of = source + capacity;
    rank_of = queue_of + capacity;
    list = rank_of + capacity;
    listed = list + ports;
    happened = listed + 1;
    sources = happened + 1;
    position = sources + 1;
    busy = position + ports;
    due = busy + ports;
    run = due + queues + 1;
    cursor = run + queues + 1;
    fresh = cursor + queues;
    arriving = fresh + queues;
    arrived = arriving + queues;
    released = arrived + accounts;
    watched = released + accounts;
    bin = watched + accounts;
    careful = bin + static_cast<u64>(accounts) * bins;
    broken = careful + 1;
  }
};

}  // namespace heddle
