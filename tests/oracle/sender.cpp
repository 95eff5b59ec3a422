#include "tests/oracle/sender.hpp"

#include <algorithm>

#include "kernels/base/units.hpp"

namespace heddle::oracle {

Sender::Sender(const World& world, QpId qp, u64 line_bps) : world_(world), outgoing_(world, qp) {
  control_ = make_control(world.congestion, line_bps);
}

TimePs Sender::ready_at() const {
  if (failed_) return kNever;
  if (!repeats_.empty()) return paced_at_ps_;
  if (next_ == outgoing_.end()) return kNever;
  u32 window = world_.roce.window_packets == 0 ? kPsnWindowPackets : world_.roce.window_packets;
  if (world_.roce.recovery == Recovery::selective_repeat) window = std::min(window, world_.roce.reorder_window_packets);
  if (next_ - una_ >= window) return kNever;
  return std::max(outgoing_.available_ps(next_), paced_at_ps_);
}

SendingEnd::Start Sender::start(TimePs t, u32 port) {
  const u64 psn = next_psn();
  Start start;
  start.retransmission = psn < sent_end_;
  start.packet = outgoing_.packet(psn, port);

  if (una_ == sent_end_) {  // nothing was outstanding: the timeout counts from here
    last_progress_ps_ = t;
    timed_ = Timed{psn, t};
  }
  last_start_ps_ = t;
  if (repeats_.erase(psn) == 0) ++next_;
  sent_end_ = std::max(sent_end_, next_);
  if (control_ != nullptr) paced_at_ps_ = control_->start(t, outgoing_.wire_bytes(psn));
  return start;
}

std::vector<u64> Sender::acknowledge(const Packet& packet, TimePs t) {
  std::vector<u64> done;
  if (failed_) return done;
  u64 acked = extend_psn(packet.psn, una_);
  if (packet.kind == PacketKind::nak && world_.roce.recovery == Recovery::selective_repeat) {
    if (acked >= una_ && acked < next_) repeats_.insert(acked);
    timed_.reset();
    return done;
  }
  if (acked > una_) {
    const u64 advance = acked - una_;
    una_ = acked;
    next_ = std::max(next_, una_);
    repeats_.erase(repeats_.begin(), repeats_.lower_bound(una_));
    last_progress_ps_ = t;
    tries_ = 0;
    lows_ = 0;
    measure_round_trip(t);
    recovery_.erase(recovery_.begin(), recovery_.lower_bound(una_));
    for (u64 left = 2 * advance; left > 0 && !recovery_.empty(); --left)
      repeats_.insert(recovery_.extract(recovery_.begin()));
    done = outgoing_.acknowledge(una_);
  }
  if (packet.kind == PacketKind::nak) next_ = una_;
  return done;
}

void Sender::cnp(TimePs t) {
  if (control_ != nullptr) paced_at_ps_ = control_->cnp(t, paced_at_ps_);
}

/// Measures the round trip when una has advanced at t.
void Sender::measure_round_trip(TimePs t) {
  if (timed_ && una_ <= timed_->psn) return;
  if (timed_) {
    const TimePs sample = std::min(t - timed_->start_ps, kMaxRoundTripPs);
    rtt_ps_ = sample > rtt_ps_ ? sample : rtt_ps_ - (rtt_ps_ - sample) / 8;
  }
  timed_.reset();
  if (una_ < sent_end_) timed_ = Timed{sent_end_ - 1, last_start_ps_};
}

TimePs Sender::rto_deadline() const {
  if (una_ == sent_end_ || failed_ || world_.roce.rto_ps == 0) return kNever;
  return last_progress_ps_ + world_.roce.rto_ps;
}

TimePs Sender::low_deadline() const {
  const RoceSettings& roce = world_.roce;
  if (roce.recovery != Recovery::selective_repeat || roce.rto_low_ps == 0) return kNever;
  if (una_ == next_ || failed_ || lows_ == 200) return kNever;
  const TimePs since = std::max({last_progress_ps_, last_start_ps_, last_low_ps_});
  return since + (std::max(roce.rto_low_ps, 2 * rtt_ps_) << std::min<u32>(lows_, 4));
}

void Sender::time_out_low(TimePs t) {
  ++lows_;
  last_low_ps_ = t;
  timed_.reset();
  if (lows_ >= 2) {
    recovery_.clear();
    for (u64 psn = una_ + 1; psn < next_; ++psn) recovery_.insert(psn);
  }
  repeats_.insert(una_);
}

bool Sender::time_out(TimePs t) {
  failed_ = tries_ >= world_.roce.rto_tries;
  if (failed_) return false;
  ++tries_;
  lows_ = 0;
  timed_.reset();
  recovery_.clear();
  next_ = una_;
  repeats_.clear();
  last_progress_ps_ = t;
  return true;
}

}  // namespace heddle::oracle
