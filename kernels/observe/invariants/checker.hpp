// What must hold between any two ticks. EngineOptions::check and debug builds verify it after every tick.
#pragma once

#include <string>
#include <vector>

#include "kernels/observe/invariants/flows.hpp"
#include "kernels/observe/invariants/links.hpp"
#include "kernels/observe/invariants/pauses.hpp"
#include "kernels/observe/invariants/queues.hpp"
#include "kernels/observe/invariants/switches.hpp"

namespace heddle {

/// Looks at the host's copy of a Model's state after every tick, from the first one on. What it remembers from tick to
/// tick is its own and no part of the simulated state.
class InvariantChecker {
 public:
  explicit InvariantChecker(const Model& model);

  /// Call it after every tick; ticks may not be left out. Returns the first violation in words, with where and in which
  /// tick, or an empty string. After a violation the checker is of no more use.
  ///   phases       nothing was found wrong inside a pass (only builds with HEDDLE_CHECK look there)
  ///   updates      a port's published state is the same in both buffers, or it is still to be received
  ///   queues       FIFOs are in order of time, nothing overtakes, they sum to their bytes and stay below their limits;
  ///                nothing is overdue
  ///   accounts     a PFC account is what its packets sum to, and at most XOFF + headroom; pools are what their
  ///                accounts and queues sum to, and within their limits
  ///   pauses       PAUSE and RESUME alternate; what was decided, is on its way and is in force agree;
  ///                nothing starts while paused
  ///   links        bytes started = bytes taken + bytes on the wire; no two packets at once, none above the speed
  ///   switches     packets and bytes in = out + held + dropped, and the same packets
  ///   queue pairs  una <= next <= sent end; ready sets count what they hold; what congestion controls say
  ///   flows        packets sent = in order + duplicates and out of order + dropped + in flight, PSNs in order;
  ///                what is lost of a lossless class is a counted overrun, overflow or watchdog drop
  std::string find_violation(const TickDone& tick, const Tally& tally);

  /// Queues and packets that have been looked at, summed over the ticks: what the checker's time is proportional to.
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
