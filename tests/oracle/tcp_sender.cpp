#include "tests/oracle/tcp_sender.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::oracle {

TcpSender::TcpSender(const World& world, QpId qp)
    : world_(world),
      outgoing_(world, qp),
      cwnd_(world.tcp.initial_window_segments),
      rto_ps_(world.tcp.rto_initial_ps) {}

std::set<u64> TcpSender::to_repeat() const {
  std::set<u64> segments;
  for (u64 psn = std::max(again_, una_); psn < lost_; ++psn) {
    if (sacked_.count(psn) == 0) segments.insert(psn);
  }
  return segments;
}

u64 TcpSender::next_psn() const {
  const std::set<u64> repeats = to_repeat();
  return repeats.empty() ? end_ : *repeats.begin();
}

TimePs TcpSender::ready_at() const {
  const TimePs allowed = allowed_at();
  return burst_left_ > 0 ? allowed : std::max(allowed, pace_ps_);
}

TimePs TcpSender::allowed_at() const {
  if (failed_ || pipe() >= cwnd_) return kNever;
  if (!to_repeat().empty()) return 0;
  if (end_ == outgoing_.end() || end_ - una_ >= world_.tcp.window_segments) return kNever;
  return outgoing_.available_ps(end_);
}

SendingEnd::Start TcpSender::start(TimePs t, u32 port) {
  const u64 psn = next_psn();
  Start start;
  start.packet = outgoing_.packet(psn, port);
  start.retransmission = psn < end_;
  if (una_ == end_) {  // nothing was outstanding
    if (t - last_start_ps_ > std::min(rto_ps_, world_.tcp.rto_max_ps)) {
      cwnd_ = std::min<u64>(cwnd_, world_.tcp.initial_window_segments);
      count_ = 0;
      cubic_.end_epoch();
    }
    last_progress_ps_ = t;
  }
  last_start_ps_ = t;
  if (start.retransmission) {
    again_ = psn + 1;
    timed_.reset();
  } else {
    end_ = psn + 1;
    if (!timed_) timed_ = Timed{psn, t};
  }
  if (fast_recovery_) ++prr_out_;
  pace(outgoing_.wire_bytes(psn) - world_.tcp.overhead_wire_bytes, t);
  return start;
}

/// A segment has started: a burst goes on while it has segments left and one is allowed at once.
void TcpSender::pace(u64 payload_bytes, TimePs t) {
  if (burst_left_ == 0) {
    pace_ps_ = t;
    burst_left_ = world_.tcp.burst_segments;
  }
  if (world_.tcp.pacing) {
    const u64 window = std::max(cwnd_, pipe());
    const u64 percent = 2 * cwnd_ < ssthresh_ ? 200 : 120;
    const u64 gap = static_cast<u64>(srtt_ps_) * 100 / (percent * window);
    pace_ps_ += static_cast<TimePs>(gap * payload_bytes / world_.tcp.segment_bytes);
  }
  --burst_left_;
  if (allowed_at() > t) burst_left_ = 0;
}

/// The steps of "On an ACK or a SACK".
std::vector<u64> TcpSender::acknowledge(const Packet& packet, TimePs t) {
  if (failed_) return {};
  const u64 psn = extend_psn(packet.psn, una_);
  // Step 1.
  const u64 flight = pipe(), unsacked_before = unsacked(), una_before = una_;
  if (packet.kind == PacketKind::ack) {
    if (psn > una_ && psn <= end_) advance(psn, t);
  } else {
    take_sack(packet, psn);
  }
  const u64 delivered = unsacked_before - unsacked(), acked = std::min(delivered, una_ - una_before);
  // Step 2.
  detect_losses(t);
  again_ = std::max(again_, una_);
  // Step 3.
  react_to_marks(delivered, packet.marked);
  // Step 4.
  const bool ends = fast_recovery_ && una_ >= recover_;
  if (ends) {
    fast_recovery_ = false;
    cwnd_ = ssthresh_;
    count_ = 0;
  }
  // Step 5.
  if (!fast_recovery_ && una_ >= recover_ && !to_repeat().empty()) begin_fast_recovery();
  // Step 6.
  if (fast_recovery_ && delivered > 0) reduce_proportionally(delivered);
  // Step 7.
  if (!fast_recovery_ && !ends && !packet.marked && acked > 0 && 2 * flight >= cwnd_) grow(acked, t);
  return outgoing_.acknowledge(una_);
}

/// An ACK says that all segments below `una` have arrived.
void TcpSender::advance(u64 una, TimePs t) {
  for (u64 psn = una_; psn < una; ++psn) {
    if (sacked_.count(psn) == 0) note_order(psn);
  }
  if (una_ < recover_ && una >= recover_ && recoveries_left_ > 0) {
    --recoveries_left_;
    if (recoveries_left_ == 0) quarters_ = 1;
  }
  una_ = una;
  sacked_.erase(sacked_.begin(), sacked_.lower_bound(una_));
  last_progress_ps_ = t;
  backoff_ = 0;
  tries_ = 0;
  if (timed_ && timed_->psn < una_) {
    take_sample(t - timed_->start_ps);
    timed_.reset();
  }
}

void TcpSender::take_sack(const Packet& packet, u64 psn) {
  if (packet.last) {  // a DSACK: the receiver had this segment already
    if (una_ < round_end_) return;
    round_end_ = end_;
    quarters_ = std::min(quarters_ + 1, kRackMaxQuarters);
    recoveries_left_ = kRackRecoveries;
  } else if (psn >= una_ && psn < end_ && sacked_.count(psn) == 0) {
    note_order(psn);
    sacked_.insert(psn);
    ever_sacked_.insert(psn);
  }
}

void TcpSender::note_order(u64 psn) {
  const bool is_late = !ever_sacked_.empty() && psn < *ever_sacked_.rbegin();
  if (is_late && psn >= again_) reordered_ = true;
}

void TcpSender::detect_losses(TimePs t) {
  if (ever_sacked_.empty()) return;
  if (world_.tcp.loss_detection == TcpLossDetection::dup_threshold || !min_rtt_ps_) {
    if (ever_sacked_.size() >= kTcpDuplicates) lost_ = std::max(lost_, *std::prev(ever_sacked_.end(), kTcpDuplicates));
    return;
  }
  const u64 highest = *ever_sacked_.rbegin();
  const TimePs wait = rack_wait_ps();
  if (reorder_timer_ && (wait == 0 || una_ >= reorder_timer_->end)) reorder_timer_.reset();
  if (wait == 0) {
    lost_ = std::max(lost_, highest);
  } else if (!reorder_timer_) {
    bool any_open = false;
    for (u64 psn = std::max(lost_, una_); psn < highest; ++psn) any_open = any_open || sacked_.count(psn) == 0;
    if (any_open) reorder_timer_ = ReorderTimer{highest, t + wait};
  }
}

TimePs TcpSender::rack_wait_ps() const {
  if (!reordered_ && (una_ < recover_ || sacked_.size() >= kTcpDuplicates)) return 0;
  return std::min(quarters_ * *min_rtt_ps_ / 4, srtt_ps_);
}

/// The reordering timer has fired.
void TcpSender::time_out_low(TimePs t) {
  lost_ = std::max(lost_, reorder_timer_->end);
  reorder_timer_.reset();
  detect_losses(t);
  if (fast_recovery_ || una_ < recover_ || to_repeat().empty()) return;
  begin_fast_recovery();
  reduce_proportionally(1);
}

/// A measured round trip changes the retransmission timeout.
void TcpSender::take_sample(TimePs r) {
  min_rtt_ps_ = std::min(r, min_rtt_ps_.value_or(r));
  if (!sampled_) {
    sampled_ = true;
    srtt_ps_ = r;
    rttvar_ps_ = r / 2;
  } else {
    const TimePs d = r - srtt_ps_, size = d < 0 ? -d : d;
    srtt_ps_ += d >> 3;
    rttvar_ps_ += (size - rttvar_ps_) >> 2;
  }
  rto_ps_ = std::max(world_.tcp.rto_min_ps, srtt_ps_ + std::max(kTcpGranularityPs, 4 * rttvar_ps_));
}

u64 TcpSender::rest_of(u64 segments) const {
  return std::max<u64>(2, world_.tcp.control == TcpControl::cubic ? cubic_rest(segments) : segments / 2);
}

void TcpSender::begin_fast_recovery() {
  fast_recovery_ = true;
  from_ = end_ - una_;
  if (static_cast<i64>(una_) >= reduced_) {
    cubic_.note(cwnd_);
    ssthresh_ = rest_of(from_ - sacked_.size());
  } else {
    ssthresh_ = cwnd_;
  }
  recover_ = end_;
  reduced_ = static_cast<i64>(end_);
  prr_delivered_ = prr_out_ = 0;
  timed_.reset();
}

/// Proportional rate reduction (RFC 6937).
void TcpSender::reduce_proportionally(u64 delivered) {
  prr_delivered_ += delivered;
  const i64 threshold = static_cast<i64>(ssthresh_), in_pipe = static_cast<i64>(pipe());
  const i64 out = static_cast<i64>(prr_out_);
  i64 room = 0;
  if (in_pipe > threshold) {
    const u64 share = (prr_delivered_ * ssthresh_ + from_ - 1) / from_;  // rounded up
    room = static_cast<i64>(share) - out;
  } else {
    const i64 limit = std::max(static_cast<i64>(prr_delivered_) - out, static_cast<i64>(delivered)) + 1;
    room = std::min(threshold - in_pipe, limit);
  }
  room = std::max<i64>(room, prr_out_ == 0 ? 1 : 0);
  cwnd_ = static_cast<u64>(in_pipe + room);
}

void TcpSender::react_to_marks(u64 delivered, bool ece) {
  const bool dctcp = world_.tcp.control == TcpControl::dctcp;
  if (dctcp) update_alpha(delivered, ece);
  if (!ece || static_cast<i64>(una_) <= reduced_ || fast_recovery_) return;
  cubic_.note(cwnd_);
  ssthresh_ = cwnd_ = dctcp ? std::max<u64>(2, cwnd_ - ((cwnd_ * alpha_q10_) >> 11)) : rest_of(cwnd_);
  count_ = 0;
  reduced_ = static_cast<i64>(end_);
}

/// DCTCP estimates once per window which part of the segments was marked.
void TcpSender::update_alpha(u64 delivered, bool ece) {
  window_delivered_ += delivered;
  if (ece) window_ce_ += delivered;
  if (una_ < window_end_) return;
  const u64 decay = alpha_q10_ >> 4;
  const u64 rest = decay == 0 ? 0 : alpha_q10_ - decay;
  const u64 marked = (window_ce_ << 6) / std::max<u64>(1, window_delivered_);
  alpha_q10_ = static_cast<u32>(std::min<u64>(kDctcpOneQ10, rest + marked));
  window_delivered_ = window_ce_ = 0;
  window_end_ = end_;
}

/// Slow start, then congestion avoidance.
void TcpSender::grow(u64 acked, TimePs t) {
  if (world_.tcp.growth_limit_segments != 0) acked = std::min<u64>(acked, world_.tcp.growth_limit_segments);
  const u64 slow = cwnd_ < ssthresh_ ? std::min(acked, ssthresh_ - cwnd_) : 0;
  cwnd_ += slow;
  acked -= slow;
  if (world_.tcp.control == TcpControl::cubic) {
    if (acked > 0) cubic_.grow(acked, t, srtt_ps_, cwnd_, count_);
  } else {
    count_ += acked;
    while (count_ >= cwnd_) {
      count_ -= cwnd_;
      ++cwnd_;
    }
  }
  cwnd_ = std::min<u64>(cwnd_, world_.tcp.window_segments);
}

/// The least of rto << backoff and the longest timeout, doubled step by step so that nothing overflows.
TimePs TcpSender::wait_ps() const {
  TimePs wait = std::min(rto_ps_, world_.tcp.rto_max_ps);
  for (u32 i = 0; i < backoff_; ++i) wait = std::min(2 * wait, world_.tcp.rto_max_ps);
  return wait;
}

TimePs TcpSender::rto_deadline() const {
  if (una_ == end_ || failed_) return kNever;
  return last_progress_ps_ + wait_ps();
}

bool TcpSender::time_out(TimePs t) {
  failed_ = tries_ >= world_.tcp.retries;
  if (failed_) return false;
  ++tries_;
  if (backoff_ == 0 && !fast_recovery_) {
    cubic_.note(cwnd_);
    ssthresh_ = rest_of(end_ - una_);
  }
  cubic_.forget();
  cwnd_ = 1;
  count_ = 0;
  lost_ = recover_ = end_;
  reorder_timer_.reset();
  reduced_ = static_cast<i64>(end_);
  again_ = una_;
  fast_recovery_ = false;
  timed_.reset();
  burst_left_ = 0;
  backoff_ = std::min(backoff_ + 1, kTcpMaxBackoff);
  last_progress_ps_ = t;
  return true;
}

}  // namespace heddle::oracle
