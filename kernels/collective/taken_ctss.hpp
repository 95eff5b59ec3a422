// The CTSs that the sender of a connection's slices has taken (MODEL.md, 9.4).
#pragma once

#include "kernels/transport/streams.hpp"

namespace heddle {

/// Slices are admitted in order. CTSs of slices beyond SendState::granted may arrive before that of slice `granted`: on
/// other queue pairs, or after a lost CTS.
HEDDLE_FN bool is_early(const SendState& send, u32 slice) { return (send.early >> (slice % kMaxSlots)) & 1; }

/// The first slice that CTS `number` of the connection's queue pair `index` admits, along with the slices_per_cts - 1
/// slices behind it: CTSs are distributed over queue pairs as slices are.
HEDDLE_FN u32 slice_of_cts(const ConnectionPlan& c, u32 number, u32 index) {
  return slice_of(c, number, index) * c.slices_per_cts;
}

/// The lowest number of a CTS that was not taken yet on the connection's queue pair `index`.
HEDDLE_FN u32 expected_cts(const ConnectionPlan& c, const SendState& send, u32 index) {
  const u32 taken = send.granted / c.slices_per_cts;
  u32 number = c.split ? taken : (taken + c.qps - 1 - index) / c.qps;
  if (send.early == 0) return number;
  for (;; ++number) {
    const u32 slice = slice_of_cts(c, number, index);
    if (slice - send.granted >= kMaxSlots || !is_early(send, slice)) return number;
  }
}

}  // namespace heddle
