// The peak of an egress's held bytes (MODEL.md, 11.4), found without visiting every arrival.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/state/in_registers.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Bytes that wait at an instant, and when the last of them arrived.
struct Held {
  u64 bytes = 0;
  TimePs last_ps = 0;
  HEDDLE_FN void operator+=(const Held& other) {
    bytes += other.bytes;
    if (other.last_ps > last_ps) last_ps = other.last_ps;
  }
};

/// The part of a queue that has arrived by an instant that never decreases. The queue may hold later arrivals behind
/// it; each of them is counted once and passed once.
class Arrived {
 public:
  HEDDLE_RARE_FN Held by(TimePs at, const RingPool& pool, Queue queue, u32 cell_bytes) {
    const auto bytes_of = [&](u32 p) { return held_bytes(pool.packet[queue.ring.at(p)].frame_bytes(), cell_bytes); };
    const auto time_of = [&](u32 p) { return pool.time_ps[queue.ring.at(p)]; };
    if (!known_) {
      known_ = true;
      for (end_ = queue.tail; end_ != queue.sent && time_of(end_ - 1) > at; --end_) later_bytes_ += bytes_of(end_ - 1);
      if (end_ != queue.sent) last_ps_ = time_of(end_ - 1);
    }
    for (; static_cast<i32>(queue.sent - end_) > 0; ++end_) later_bytes_ -= bytes_of(end_);  // sent since the last call
    for (; end_ != queue.tail && time_of(end_) <= at; ++end_) {
      later_bytes_ -= bytes_of(end_);
      last_ps_ = time_of(end_);
    }
    return end_ == queue.sent ? Held{} : Held{queue.bytes - later_bytes_, last_ps_};
  }

 private:
  bool known_ = false;
  u32 end_ = 0;          // position of the first packet that arrives later
  u64 later_bytes_ = 0;  // bytes from end_ to the tail
  TimePs last_ps_ = 0;   // when the packet before end_ arrived
};

/// Queue length from which it pays to divide once to know how many packets will still wait at the end of a pass.
inline constexpr u32 kLongQueuePackets = 24;

/// Watches the peak during one pass of an egress. The bytes held grow only by arrivals, so their maximum is at the
/// start of some packet or at the end of the pass. At most starts a bound shows that there is no new peak: a packet
/// further back in the longest queue has not arrived yet.
class PeakWatch {
 public:
  HEDDLE_FN explicit PeakWatch(const LinkTally& tally) : bytes_(tally.peak_queue_bytes) {}

  /// Begins a pass up to `to`; `queue` includes the packets that arrive in it.
  template <class Team, u32 most, class Packets>
  HEDDLE_FN void begin(const Packets& packets, const Queue (&queue)[most], u32 classes, const Egress& egress,
                       TimePs to) {
    u64 all_bytes = queue[0].bytes, longest_bytes = all_bytes;
    for (u32 c = 1; c < most; ++c) {
      if (c >= classes) break;
      all_bytes += queue[c].bytes;
      if (queue[c].bytes <= longest_bytes) continue;
      longest_ = c;
      longest_bytes = queue[c].bytes;
    }
    if (all_bytes <= bytes_) return;
    max_held_bytes_ = egress.max_held_bytes;
    other_bytes_ = all_bytes - longest_bytes;
    const Queue longest = in_registers<Team>(queue, longest_);
    const u32 waiting = longest.tail - longest.sent;
    if (waiting > kLongQueuePackets) expect_rest(egress, to, waiting, all_bytes);
    bound();
    look_from(packets, longest_, longest);
  }

  /// Whether `bytes` exceeds the peak.
  HEDDLE_FN bool passed_by(u64 bytes) const { return bytes > bytes_; }
  HEDDLE_FN u32 longest() const { return longest_; }

  /// Whether the queues without the longest may exceed the peak: while several hold packets, every start needs a check.
  HEDDLE_FN bool crowded() const { return other_bytes_ > bytes_; }

  /// Whether a start may find a new peak; `q`, of class c, is the longest queue and the port is not crowded(), or it is
  /// the only queue with packets.
  template <class Packets>
  HEDDLE_FN bool may_move(const Packets& packets, u32 c, const Queue& q, TimePs start) {
    if (start < quiet_until_ps_) return false;
    look_from(packets, c, q);
    return start >= quiet_until_ps_;
  }

  HEDDLE_FN void note(const Held& held) {
    if (held.bytes <= bytes_) return;
    bytes_ = held.bytes;
    when_ps_ = held.last_ps;
    moved_ = true;
    bound();
  }

  HEDDLE_FN void finish(LinkTally& tally) const {
    if (!moved_) return;
    tally.peak_queue_bytes = bytes_;
    tally.peak_queue_ps = when_ps_;
  }

 private:
  /// In a growing queue every start would be a new peak. The bytes that cannot be sent before the end of the pass are a
  /// lower bound of what is held then, so starts with less need no check.
  HEDDLE_FN void expect_rest(const Egress& egress, TimePs to, u32 packets, u64 all_bytes) {
    if (egress.cell_bytes != 1 || (egress.ps_per_byte_q16 & kWholeNanoseconds) != 0) return;
    const u64 time_ps = static_cast<u64>(to - egress.free_ps) + packets;  // ser_ps() rounds down per packet
    const u64 sent_bytes = (time_ps << 16) / egress.ps_per_byte_q16 + max_held_bytes_;
    if (egress.free_ps < to && time_ps < u64{1} << 40 && all_bytes > sent_bytes + bytes_)
      rest_bytes_ = all_bytes - sent_bytes;
  }

  /// Length of the longest queue up to which the peak stays, even if all other queues have arrived in full.
  HEDDLE_FN void bound() {
    const u64 bytes = rest_bytes_ > bytes_ ? rest_bytes_ - 1 : bytes_;
    bound_packets_ = bytes > other_bytes_ ? static_cast<u32>((bytes - other_bytes_) / max_held_bytes_) : 0;
  }

  template <class Packets>
  HEDDLE_FN void look_from(const Packets& packets, u32 c, const Queue& q) {
    quiet_until_ps_ = q.tail - q.sent > bound_packets_ ? packets.ready_ps(c, q, q.sent + bound_packets_) : kNever;
  }

  u64 bytes_;
  TimePs when_ps_ = 0;              // time of the peak
  TimePs quiet_until_ps_ = kNever;  // starts before it need no check
  u64 other_bytes_ = 0;             // in all queues but the longest
  u64 rest_bytes_ = 0;              // lower bound of the bytes at the end of the pass, if above the peak
  u32 max_held_bytes_ = 1;          // largest size of one packet
  u32 longest_ = 0;                 // class of the longest queue, with arrivals of this pass
  u32 bound_packets_ = 0;
  bool moved_ = false;
};

}  // namespace heddle
