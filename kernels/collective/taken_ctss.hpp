// Which CTSs the sender of a connection's slices has taken (MODEL.md, 9.4).
#pragma once

#include "kernels/transport/streams.hpp"

namespace heddle {

/// Slices are admitted in order. Of those from SendState::granted on, CTSs may have come before that of slice
/// `granted`: on other queue pairs, or ahead of a lost one.
HEDDLE_FN bool is_early(const SendState& send, u32 slice) { return (send.early >> (slice % kMaxSlots)) & 1; }

/// The lowest number of a CTS that was not taken yet on the connection's queue pair `index`.
HEDDLE_FN u32 expected_cts(const ConnectionPlan& c, const SendState& send, u32 index) {
  u32 number = c.split ? send.granted : (send.granted + c.qps - 1 - index) / c.qps;
  if (send.early == 0) return number;
  for (;; ++number) {
    const u32 slice = slice_of(c, number, index);
    if (slice - send.granted >= kMaxSlots || !is_early(send, slice)) return number;
  }
}

}  // namespace heddle
