// Postconditions of the phases of a pass, and the record of the first violation. Kernels write the record, on any
// backend; the invariant checker reads it after the tick.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// A rule compares a number inside a pass with its required value, or upper bound.
enum class PhaseRule : u32 {
  none = 0,
  packets_routed,    // counted per egress = due on the ingress wires
  packets_ordered,   // every packet exactly once
  order_of_time,     // arrivals of one egress queue
  packets_enqueued,  // per egress queue = ordered for it
  bytes_enqueued,    // a queue's byte count = held bytes of its packets
  packets_served,    // at most the packets that waited
  bytes_released,    // from an account: at most held + arrived
  packets_taken,     // from a wire: at most those published on it
  start_in_order,    // at a NIC: not before its transmitter is free
  clock_forward,     // in an endpoint's pass
};

/// Records that at `node` (local number), at or after `from`, the number `is` broke `rule`, unless a violation was
/// recorded before. Among several violations in one tick the recorded one is arbitrary.
HEDDLE_FN void report_broken(const View& v, PhaseRule rule, u32 node, TimePs from, i64 is, i64 must) {
  BrokenPhase& record = *v.broken_phase;
  if (global_add(record.count, 1) != 0) return;
  record.rule = static_cast<u32>(rule);
  record.node = v.node_id[node];
  record.from_ps = from;
  record.is = is;
  record.must = must;
}

}  // namespace heddle
