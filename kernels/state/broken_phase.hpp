// What a phase of a pass must leave behind, and the record of the first one that did not. Kernels write the record, on
// any backend; the invariant checker reads it after the tick.
#pragma once

#include "kernels/state/view.hpp"

namespace heddle {

/// What is compared inside a pass: a number and what it must be, or may at most be.
enum class PhaseRule : u32 {
  none = 0,
  packets_routed,    // counted per egress = due on the ingress wires
  packets_ordered,   // every one exactly once
  order_of_time,     // of the arrivals of one egress queue
  packets_enqueued,  // per egress queue = ordered for it
  bytes_enqueued,    // what a queue counts = what its packets hold
  packets_served,    // none beyond those that waited
  bytes_released,    // of an account: at most held + arrived
  packets_taken,     // off a wire: at most those published on it
  start_in_order,    // of a NIC: not before its transmitter is free
  clock_forward,     // of an endpoint's pass
};

/// Records that at `node` (local number), in what covers [from, ...), `is` broke `rule`, unless another was recorded
/// before. Which one of several that break in one tick is kept, chance decides.
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
