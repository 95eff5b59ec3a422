// Counters of a running simulation, and flags that passes leave for the host.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/outcome/event.hpp"

namespace heddle {

/// Cumulative counters of a port, by its egress link; written by that link's source node.
struct LinkTally {
  u64 sent_wire_bytes = 0;  // of packets whose transmission has started
  u64 sent_packets = 0;
  u64 peak_queue_bytes = 0;  // held bytes of all classes, at a switch: maximum after every acceptance of a packet
  TimePs peak_queue_ps = 0;  // first instant of the peak; undefined while the peak is 0
  u32 marks = 0;
  u32 drops = 0;
  u32 ingress_drops = 0;  // drops of packets that arrived by this port; the other drops were at the egress
  u32 pauses = 0;         // PAUSEs decided for packets that arrive by this port
};

/// Sums of one worker or block, added up at the end of the run.
struct Tally {
  u64 digest = 0;
  u64 packet_hops = 0, data_received = 0;
  u64 out_of_order = 0, duplicates = 0;                        // data packets
  i64 largest_reordering = 0;                                  // largest distance of a packet beyond the expected PSN
  u64 flowlets = 0, flowlet_collisions = 0, path_changes = 0;  // routing/flowlets.hpp
  u64 detours = 0;                                             // packets that left by one (routing/adaptive.hpp)
  u64 count[kEventKindCount] = {};                             // by EventKind
  u64 drops[kDropCauses] = {};
  u64 messages_acked = 0, ranks_finished = 0, iterations_ended = 0;
  TimePs last_completion_ps = 0;
};

/// Adds one worker's sums.
HEDDLE_FN void add_tally(Tally& sum, const Tally& part) {
  sum.digest += part.digest;
  sum.packet_hops += part.packet_hops;
  sum.data_received += part.data_received;
  sum.out_of_order += part.out_of_order;
  sum.duplicates += part.duplicates;
  if (part.largest_reordering > sum.largest_reordering) sum.largest_reordering = part.largest_reordering;
  sum.flowlets += part.flowlets;
  sum.flowlet_collisions += part.flowlet_collisions;
  sum.path_changes += part.path_changes;
  sum.detours += part.detours;
  sum.messages_acked += part.messages_acked;
  sum.ranks_finished += part.ranks_finished;
  sum.iterations_ended += part.iterations_ended;
  if (part.last_completion_ps > sum.last_completion_ps) sum.last_completion_ps = part.last_completion_ps;
  for (u32 i = 0; i < kEventKindCount; ++i) sum.count[i] += part.count[i];
  for (u32 i = 0; i < kDropCauses; ++i) sum.drops[i] += part.drops[i];
}

/// Adds two tallies.
struct PlusTally {
  HEDDLE_FN Tally operator()(Tally sum, const Tally& part) const {
    add_tally(sum, part);
    return sum;
  }
};

/// A queue pair has failed: the host reads this between ticks, acknowledges it, and ends the run at an epoch start.
struct Failure {
  u32 kind = 0;
};
inline constexpr u32 kFailureNew = 1, kFailureSeen = 2;

/// The first violation that a pass has found (state/broken_phase.hpp); only builds with HEDDLE_CHECK check.
struct BrokenPhase {
  i32 count = 0;    // number of violations found
  u32 rule = 0;     // PhaseRule
  NodeId node = 0;  // global
  TimePs from_ps = 0;
  i64 is = 0, must = 0;
};

}  // namespace heddle
