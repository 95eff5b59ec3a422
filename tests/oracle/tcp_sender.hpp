// The sending end of a TCP connection: windows, SACK, fast recovery, marks, timeouts (MODEL.md, 8.11).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/cubic.hpp"
#include "tests/oracle/outgoing.hpp"
#include "tests/oracle/sending_end.hpp"

namespace heddle::oracle {

class TcpSender : public SendingEnd {
 public:
  TcpSender(const World& world, QpId qp);

  void append(u64 bytes, u64 tag, TimePs available) override { outgoing_.append(bytes, tag, available); }
  void post(u64 tag, TimePs available) override { outgoing_.post(tag, available); }
  TimePs ready_at() const override;
  u32 next_wire_bytes() const override { return outgoing_.wire_bytes(next_psn()); }
  Start start(TimePs t, u32 port = 0) override;
  std::vector<u64> acknowledge(const Packet& packet, TimePs t) override;
  u64 window() const override { return cwnd_ << 32 | ssthresh_; }
  bool keeps_turn() const override { return burst_left_ > 0; }
  TimePs rto_deadline() const override;
  bool time_out(TimePs t) override;
  TimePs low_deadline() const override { return reorder_timer_ ? reorder_timer_->deadline_ps : kNever; }
  void time_out_low(TimePs t) override;

  // What tests look at.
  u64 cwnd() const { return cwnd_; }
  u64 ssthresh() const { return ssthresh_; }
  u64 pipe() const { return unsacked() - to_repeat().size(); }
  bool in_fast_recovery() const { return fast_recovery_; }
  u32 alpha_q10() const { return alpha_q10_; }
  TimePs srtt_ps() const { return srtt_ps_; }
  TimePs rttvar_ps() const { return rttvar_ps_; }
  TimePs rto_ps() const { return rto_ps_; }

 private:
  /// Number of segments in [una, end) that are not SACKed.
  u64 unsacked() const { return end_ - una_ - sacked_.size(); }
  /// The segments that U counts: lost, and not retransmitted yet.
  std::set<u64> to_repeat() const;
  u64 next_psn() const;
  /// When the window and the data allow the next segment.
  TimePs allowed_at() const;
  /// How long a full segment holds back the next burst.
  void pace(u64 payload_bytes, TimePs t);
  /// What a timeout waits for.
  TimePs wait_ps() const;
  void advance(u64 una, TimePs t);
  void take_sack(const Packet& packet, u64 psn);
  /// A segment has come for which the sender had not resent anything: is it out of order?
  void note_order(u64 psn);
  void detect_losses(TimePs t);
  /// How long a segment that is out of order is awaited.
  TimePs rack_wait_ps() const;
  void take_sample(TimePs r);
  /// The new threshold where `segments` were the window, or on their way; DCTCP has another one for marks.
  u64 rest_of(u64 segments) const;
  void begin_fast_recovery();
  void reduce_proportionally(u64 delivered);
  void react_to_marks(u64 delivered, bool ece);
  void update_alpha(u64 delivered, bool ece);
  void grow(u64 acked, TimePs t);

  const World& world_;
  Outgoing outgoing_;
  u64 una_ = 0, end_ = 0;  // segments in [una, end) have been sent and are not acknowledged
  u64 cwnd_, count_ = 0, ssthresh_ = kTcpNoThreshold;
  std::set<u64> sacked_;       // in [una, end)
  std::set<u64> ever_sacked_;  // and those that were once in it
  u64 lost_ = 0, again_ = 0;   // what is not SACKed below `lost` is lost; below `again` it has been retransmitted
  struct ReorderTimer {
    u64 end = 0;  // what has not come before it becomes lost
    TimePs deadline_ps = 0;
  };
  std::optional<ReorderTimer> reorder_timer_;  // of RACK, as the next five
  bool reordered_ = false;
  u32 quarters_ = 1, recoveries_left_ = 0;
  u64 round_end_ = 0;
  std::optional<TimePs> min_rtt_ps_;
  u64 recover_ = 0;
  bool fast_recovery_ = false;
  u64 from_ = 0, prr_delivered_ = 0, prr_out_ = 0;  // of the fast recovery
  i64 reduced_ = -1;                                // marks reduce again when una is beyond
  u32 alpha_q10_ = kDctcpOneQ10;                    // of DCTCP, as the next three
  u64 window_end_ = 0, window_delivered_ = 0, window_ce_ = 0;
  Cubic cubic_;  // without effect on the other controls
  TimePs rto_ps_, srtt_ps_ = 0, rttvar_ps_ = 0;
  bool sampled_ = false;
  struct Timed {
    u64 psn = 0;
    TimePs start_ps = 0;
  };
  std::optional<Timed> timed_;
  TimePs last_progress_ps_ = 0, last_start_ps_ = 0;
  TimePs pace_ps_ = 0;  // the next burst begins then, or later
  u32 burst_left_ = 0;  // segments
  u32 backoff_ = 0, tries_ = 0;
  bool failed_ = false;
};

}  // namespace heddle::oracle
