// What the phases of a switch pass hand to each other: plain arrays, in shared memory when they fit, in a slab
// otherwise.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Scratch for `ports` ports and up to `packets` arrivals in one pass. More arrivals than that only make the pass cover
/// a shorter stretch of time.
///
/// Few of a switch's ports have something to do in a tick. So arrays by place hold entries of the listed ports only, in
/// the order of the list; those by port are 0 between passes: each pass leaves them so at the ports of its list.
struct SwitchScratch {
  u32 packets;      // capacity
  u32 bins;         // slots per tick + 1
  u64* key;         // [packets] time in pass 28 | ingress port 12 | index 24
  u64* spare;       // [packets]
  TimePs* next_ps;  // [ports] earliest thing to come, by switch of the team
  u32* source;      // [packets] pool entry
  u32* queue_of;    // [packets] egress queue
  u32* rank_of;     // [packets] place in it, in order of being counted
  u32* list;        // [ports] that have something to do
  u32* listed;      // [1] how many
  u32* happened;    // [1] whether anything did, in this tick
  u32* sources;     // [1] how many of them did before this window's arrivals were routed
  u32* careful;     // [1] something could be dropped in this window
  u32* broken;      // [1] a phase did not leave what it must; only builds with HEDDLE_CHECK look
  u32* due;         // [ports * classes + 1] by place: arrivals per ingress queue, then their offsets
  u32* run;         // [ports * classes + 2] by place: arrivals per egress queue, the last: dropped; offsets
  u32* cursor;      // [ports * classes] by place
  u32* fresh;       // [ports * classes] by place: tail before this pass
  u32* bin;         // [ports * pfc * bins] by port: releases by slot; 0 from when an account is watched
  // by port, 0 between passes
  u32* place;     // [ports] 1 + place in the list; 0: not there
  u32* busy;      // [ports] something happened at this port in this tick
  u32* counted;   // [ports * classes + 1] arrivals per egress queue, the last: dropped; then their offset
  u32* arriving;  // [ports * classes] frame bytes for each egress queue with a limit
  u32* arrived;   // [ports * pfc] frame bytes charged to each account in this window
  u32* released;  // [ports * pfc]
  u32* watched;   // [ports * pfc] the slots of this account must be looked at
  u32* end;

  /// Bytes of the whole scratch.
  static constexpr u64 bytes(u32 ports, u32 classes, u32 pfc, u32 bins, u32 packets) {
    const u64 queues = static_cast<u64>(ports) * classes;
    const u64 accounts = static_cast<u64>(ports) * pfc;
    const u64 words = 3ull * packets + ports + 5 + (4 * queues + 3) + accounts * bins;
    return 8 * (2ull * packets + ports) + 4 * (words + words_by_port(ports, queues, accounts));
  }

  /// Lays the arrays out in `memory`, which is 8-byte aligned. blank() must follow, if it is not all 0.
  HEDDLE_FN void lay_out(void* memory, u32 ports, u32 classes, u32 pfc, u32 bins_per_account, u32 capacity) {
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
    careful = sources + 1;
    broken = careful + 1;
    due = broken + 1;
    run = due + queues + 1;
    cursor = run + queues + 2;
    fresh = cursor + queues;
    bin = fresh + queues;
    place = bin + static_cast<u64>(accounts) * bins;
    busy = place + ports;
    counted = busy + ports;
    arriving = counted + queues + 1;
    arrived = arriving + queues;
    released = arrived + accounts;
    watched = released + accounts;
    end = watched + accounts;
  }

  /// A phase: what a pass must find as 0.
  template <class Team>
  HEDDLE_FN void blank(const Team& team) const {
    team.each(static_cast<u32>(end - place), [&](u32 i) { place[i] = 0; });
  }

 private:
  static constexpr u64 words_by_port(u64 ports, u64 queues, u64 accounts) {
    return 2 * ports + 2 * queues + 1 + 3 * accounts;
  }
};

}  // namespace heddle
