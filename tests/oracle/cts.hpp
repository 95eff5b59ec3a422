// The CTSs of one QP at its two ends (MODEL.md, 9.4).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

/// A CTS as its sender knows it.
struct Cts {
  u64 number = 0;  // among the CTSs of its QP
  u64 slice = 0;   // among the slices of its connection
};

/// At the QP's receiver: sends CTSs until they are acknowledged.
class CtsSender {
 public:
  explicit CtsSender(const RoceSettings& roce) : roce_(roce) {}
  /// Creates the CTS of `slice`; none when the QP has failed.
  std::optional<Cts> create(u64 slice, TimePs t);
  /// Handles an answer; returns the CTSs to retransmit.
  std::vector<Cts> answered(u32 field, bool nak, TimePs t);
  TimePs deadline() const;
  /// Deadline of the low timeout, with selective repeat.
  TimePs low_deadline() const;
  /// Called at the deadline: returns the CTSs to retransmit; nothing when the QP fails.
  std::optional<std::vector<Cts>> time_out(TimePs t);
  /// Called at the low deadline: returns the CTSs to retransmit.
  std::vector<Cts> time_out_low();

 private:
  std::vector<Cts> unacknowledged() const;

  const RoceSettings& roce_;
  std::vector<u64> slices_;  // slices of all CTSs so far
  u64 una_ = 0;
  TimePs last_progress_ps_ = 0;
  u32 tries_ = 0, lows_ = 0;
  bool failed_ = false;
};

/// At the QP's sender: takes CTSs, in order with go-back-N.
class CtsReceiver {
 public:
  struct Reaction {
    bool taken = false;
    std::optional<PacketKind> answer;  // with number `expected`
    u64 expected = 0;
  };
  Reaction on_cts(u32 field, bool selective);

 private:
  u64 expected() const;

  std::set<u64> taken_;
  std::optional<u64> asked_;  // the number that a NAK has requested
};

}  // namespace heddle::oracle
