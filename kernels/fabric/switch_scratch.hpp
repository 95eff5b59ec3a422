// Arrays that phases of a switch pass hand to each other, in shared memory when they fit, in a slab otherwise.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// An array of the scratch. An array in shared memory is stored as an offset from the start of shared memory, so that
/// the compiler knows which kind of memory is read.
template <class T, bool shared>
class ScratchArray {
 public:
  ScratchArray() = default;
  HEDDLE_FN ScratchArray(T* array) : at_(array) {}
  HEDDLE_FN operator T*() const { return at_; }

 private:
  T* at_;
};

#if defined(__CUDA_ARCH__)
template <class T>
class ScratchArray<T, true> {
 public:
  ScratchArray() = default;
  HEDDLE_FN ScratchArray(T* array) : at_(static_cast<u32>(reinterpret_cast<char*>(array) - memory())) {}
  HEDDLE_FN operator T*() const { return reinterpret_cast<T*>(memory() + at_); }

 private:
  HEDDLE_FN static char* memory() {
    HEDDLE_DYNAMIC_SHARED(shared);
    return reinterpret_cast<char*>(shared);
  }
  u32 at_;
};
#endif

/// Scratch for `ports` ports and up to `packets` arrivals in one pass. With more arrivals the pass covers a shorter
/// window.
/// Few of a switch's ports have something to do in a tick. So arrays by place hold entries of the listed ports only, in
/// the order of the list. Arrays by port are 0 between passes: each pass resets the ports of its list.
template <bool shared>
struct SwitchScratchIn {
  template <class T>
  using Array = ScratchArray<T, shared>;

  u32 packets;       // capacity
  u32 bins;          // slots per tick + 1
  bool phases;       // passes of teams in step serve ports in phases where they can
  Array<u64> spare;  // [packets] keys by egress queue, then in order; then as in fabric/waiting.hpp
  Array<u64> key;    // [packets] time in pass 28 | ingress port 12 | index 24; until they are ordered
  Array<u32> bin;  // [ports * pfc * bins] in place of the keys, by port: releases by slot, of accounts that are watched
  // In place of the keys and of `source`, where no account is watched; only in phased passes (phased_service.hpp).
  Array<u32> start;        // [packets] in order: when an arrival starts, in the window
  Array<u32> before;       // [packets + 1] held bytes of all arrivals before it in order
  Array<u32> kept_start;   // [packets] when a packet that is kept starts, in the window
  Array<TimePs> next_ps;   // [ports] next event, by switch of the team
  Array<TimePs> peak;      // [ports] by place, in phased passes: bytes 36 | 2^28 - 1 - instant 28; the largest
  Array<u32> source;       // [packets] pool entry
  Array<u32> queue_of;     // [packets] egress queue; then packets that are kept: ingress port 13 | brief 19
  Array<u32> list;         // [ports] that have something to do
  Array<u32> listed;       // [1] number of ports in `list`
  Array<u32> happened;     // [1] whether anything happened in this tick
  Array<u32> sources;      // [1] number of listed ports before this window's arrivals were routed
  Array<u32> per_packet;   // [1] a packet could be dropped in this window
  Array<u32> watching;     // [1] some account is watched; only in passes of teams in step
  Array<u32> broken;       // [1] a phase broke a rule; only in builds with HEDDLE_CHECK
  Array<u32> due;          // [ports * classes + 1] by place: arrivals per ingress queue, then their offsets
  Array<u32> run;          // [ports * classes + 2] by place: arrivals per egress queue (last: dropped), then offsets
  Array<u32> fresh;        // [ports * classes] by place: tail before this pass
  Array<u32> cursor;       // [ports * classes] by place, for per-packet passes, which do not use `fresh`
  Array<u32> kept_run;     // [ports * classes + 1] by place: packets kept that waited before, then offsets
  Array<u32> fresh_bytes;  // [ports * classes] by place: held bytes of arrivals; only in passes of teams in step
  // by place, only in phased passes
  Array<u32> started, started_bytes;  // [ports * classes] packets that start in the window, their held bytes
  Array<u32> free, first_end;         // [ports] when the transmitter ends its last packet, and its first
  Array<u32> sent_bytes;              // [ports] on the wire
  // by port, 0 between passes
  Array<u32> place;     // [ports] 1 + place in the list; 0: not listed
  Array<u32> busy;      // [ports] something happened at this port in this tick
  Array<u32> counted;   // [ports * classes + 1] arrivals per egress queue (last: dropped); then place of next
  Array<u32> arriving;  // [ports * classes] held bytes for each egress queue
  Array<u32> arrived;   // [ports * pfc] frame bytes charged to each account in this window
  Array<u32> released;  // [ports * pfc]
  Array<u32> watched;   // [ports * pfc] the slots of this account must be sampled
  Array<u32> end;

  /// Bytes of the whole scratch.
  static constexpr u64 bytes(u32 ports, u32 classes, u32 pfc, u32 bins, u32 packets) {
    const u64 queues = static_cast<u64>(ports) * classes;
    const u64 accounts = static_cast<u64>(ports) * pfc;
    const u64 words = 2ull * packets + ports + 6 + (3 * queues + 3) + (4 * queues + 1) + 3ull * ports;
    return 8 * (packets + keys(packets, accounts * bins) + 2ull * ports) +
           4 * (words + words_by_port(ports, queues, accounts));
  }

  /// Lays the arrays out in `memory`, which is 8-byte aligned. blank() must follow unless the memory is all 0.
  HEDDLE_FN void lay_out(void* memory, u32 ports, u32 classes, u32 pfc, u32 bins_per_account, u32 capacity) {
    const u32 queues = ports * classes;
    const u32 accounts = ports * pfc;
    packets = capacity;
    bins = bins_per_account;
    phases = true;
    u64* const keys_at = static_cast<u64*>(memory) + capacity;
    TimePs* const times_at = reinterpret_cast<TimePs*>(keys_at + keys(capacity, static_cast<u64>(accounts) * bins));
    spare = static_cast<u64*>(memory);
    key = keys_at;
    bin = reinterpret_cast<u32*>(keys_at);
    next_ps = times_at;
    start = reinterpret_cast<u32*>(keys_at);
    before = start + capacity;
    peak = times_at + ports;
    source = reinterpret_cast<u32*>(times_at + 2 * ports);
    kept_start = source;
    queue_of = source + capacity;
    list = queue_of + capacity;
    listed = list + ports;
    happened = listed + 1;
    sources = happened + 1;
    per_packet = sources + 1;
    watching = per_packet + 1;
    broken = watching + 1;
    due = broken + 1;
    run = due + queues + 1;
    fresh = run + queues + 2;
    cursor = fresh;
    kept_run = fresh + queues;
    fresh_bytes = kept_run + queues + 1;
    started = fresh_bytes + queues;
    started_bytes = started + queues;
    free = started_bytes + queues;
    first_end = free + ports;
    sent_bytes = first_end + ports;
    place = sent_bytes + ports;
    busy = place + ports;
    counted = busy + ports;
    arriving = counted + queues + 1;
    arrived = arriving + queues;
    released = arrived + accounts;
    watched = released + accounts;
    end = watched + accounts;
  }

  /// Number of packets kept of the queue at place z: all of kept_run, or none where they do not fit.
  HEDDLE_FN u32 kept_packets(u32 z) const { return kept_run[z + 1] <= packets ? kept_run[z + 1] - kept_run[z] : 0; }

  /// A phase: clears the arrays that a pass must find as 0.
  template <class Team>
  HEDDLE_FN void blank(const Team& team) const {
    team.each(static_cast<u32>(end - place), [&](u32 i) { place[i] = 0; });
  }

 private:
  /// Room for `packets` keys, which bins reuse afterwards, or `start` and `before`.
  static constexpr u64 keys(u64 packets, u64 bins) { return packets < (bins + 1) / 2 ? (bins + 1) / 2 : packets + 1; }
  static constexpr u64 words_by_port(u64 ports, u64 queues, u64 accounts) {
    return 2 * ports + 2 * queues + 1 + 3 * accounts;
  }
};

using SwitchScratch = SwitchScratchIn<false>;

/// The scratch that a team uses.
template <class Team>
using ScratchOf = SwitchScratchIn<Team::kScratchIsShared>;

}  // namespace heddle
