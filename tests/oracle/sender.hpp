// The sending end of a QP with RoCE: its window, retransmissions, pacing (MODEL.md, 8.1 to 8.4 and 8.7).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/congestion/controls.hpp"
#include "tests/oracle/outgoing.hpp"
#include "tests/oracle/sending_end.hpp"

namespace heddle::oracle {

class Sender : public SendingEnd {
 public:
  /// `line_bps`: what it may send at most.
  Sender(const World& world, QpId qp, u64 line_bps);

  void append(u64 bytes, u64 tag, TimePs available) override { outgoing_.append(bytes, tag, available); }
  void post(u64 tag, TimePs available) override { outgoing_.post(tag, available); }
  TimePs ready_at() const override;
  u32 next_wire_bytes() const override { return outgoing_.wire_bytes(next_psn()); }
  Start start(TimePs t, u32 port = 0) override;
  std::vector<u64> acknowledge(const Packet& packet, TimePs t) override;
  void cnp(TimePs t) override;
  TimePs rto_deadline() const override;
  TimePs low_deadline() const override;
  /// Rewinds.
  bool time_out(TimePs t) override;
  /// Retransmits the first packet that is not acknowledged.
  void time_out_low(TimePs t) override;

 private:
  /// The next PSN to send.
  u64 next_psn() const { return repeats_.empty() ? next_ : *repeats_.begin(); }

  const World& world_;
  Outgoing outgoing_;
  u64 una_ = 0, next_ = 0, sent_end_ = 0;
  std::set<u64> repeats_;  // selective repeat: requested for retransmission
  TimePs last_progress_ps_ = 0;
  u32 tries_ = 0;
  bool failed_ = false;
  /// A packet whose round trip is measured.
  struct Timed {
    u64 psn = 0;
    TimePs start_ps = 0;
  };
  void measure_round_trip(TimePs t);
  std::optional<Timed> timed_;
  TimePs rtt_ps_ = 0, last_start_ps_ = 0, last_low_ps_ = 0;
  std::set<u64> recovery_;            // after an outage: PSNs that may still have to be retransmitted
  u32 lows_ = 0;                      // low timeouts since una advanced
  std::unique_ptr<Control> control_;  // nullptr: the QP is not paced
  TimePs paced_at_ps_ = 0;
};

}  // namespace heddle::oracle
