// Invariants that must hold between any two ticks. EngineOptions::check and debug builds verify them after every tick.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/flows.hpp"
#include "kernels/observe/invariants/links.hpp"
#include "kernels/observe/invariants/pauses.hpp"
#include "kernels/observe/invariants/queues.hpp"
#include "kernels/observe/invariants/switches.hpp"

namespace heddle {

/// Checks the host's copy of a Model's state after every tick, from the first one on. Its memory from tick to tick is
/// not part of the simulated state.
class InvariantChecker {
 public:
  explicit InvariantChecker(const Model& model);

  /// Call it after every tick without exception. Returns the first violation in words, with place and tick, or an empty
  /// string. The checker must not be used after a violation.
  ///   phases       no violation was recorded inside a pass (only builds with HEDDLE_CHECK check there)
  ///   updates      a port's published state is the same in both buffers, or it is still to be received
  ///   queues       FIFOs stay in order, of time too; their bytes are the sum of their packets and below their limits;
  ///                no packet is overdue
  ///   accounts     a PFC account is the sum of its packets, and at most XOFF + headroom; pools are the sums of their
  ///                accounts and queues, and within their limits
  ///   pauses       PAUSE and RESUME alternate; changes decided, in flight and in force agree;
  ///                no packet starts while paused
  ///   links        bytes started = bytes taken + bytes on the wire; no two packets at once, no link above its speed
  ///   switches     packets and bytes in = out + held + dropped, and the same packets
  ///   queue pairs  una <= next <= sent end; ready sets have the right count; congestion control states are valid
  ///   flows        packets sent = in order + duplicates and out of order + dropped + in flight, PSNs in order;
  ///                losses of a lossless class are counted overruns, overflows or watchdog drops
  std::string find_violation(const TickDone& tick, const Tally& tally);

  /// Queues and packets checked, summed over the ticks: the checker's time is proportional to it.
  u64 looks() const { return looks_; }

 private:
  std::string look(const Reading& reading);

  const Model& model_;
  std::vector<FifoPosition> before_, now_;
  u64 looks_ = 0;
  QueueLedger queues_;
  LinkLedger links_;
  SwitchLedger switches_;
  PauseLedger pauses_;
  FlowLedger flows_;
};

}  // namespace heddle
