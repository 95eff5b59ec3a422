// An egress port of a switch: serves its FIFOs over time, marks packets, and puts departures on its wire (MODEL.md, 5).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/lost_packets.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/peak.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/service.hpp"
#include "kernels/fabric/waiting.hpp"
#include "kernels/state/emit.hpp"
#include "kernels/state/in_registers.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Decides the ECN mark of `packet`, which is at `entry`, of egress `link`. The queue holds `queue_bytes`, this packet
/// included, at `when`. Returns whether the packet was marked now.
template <class Team>
HEDDLE_FN bool mark_packet(const Team& team, const View& v, u32 link, u32 entry, const Packet& packet, u64 queue_bytes,
                           TimePs when) {
  const EcnProfile& ecn = v.ecn[v.egress[link].ecn];
  if (queue_bytes <= ecn.kmin_bytes || packet.ecn() || packet.kind() != PacketKind::data) return false;
  if (queue_bytes <= ecn.kmax_bytes) {
    const u64 coin = hash32(v.settings.seed, Stream::ecn, port_word(v, link), static_cast<u64>(when));
    if (coin * (ecn.kmax_bytes - ecn.kmin_bytes) >= ecn.pmax_q32 * (queue_bytes - ecn.kmin_bytes)) return false;
  }
  v.pool.packet[entry].set_ecn();
  emit(team, v, packet_event(v, EventKind::mark, link, v.pool.packet[entry], when));
  return true;
}

/// Whether nothing waits at egress `link` and nothing arrives in this pass.
template <class Team>
HEDDLE_FN bool has_nothing_to_send(const View& v, u32 link) {
  const u32 classes = classes_of<Team>(v.settings), first = link * classes;
  for (u32 q = first; q < first + classes; ++q) {
    if (v.queue[q].sent != v.queue[q].tail) return false;
  }
  return true;
}

/// A pass up to `to` of an egress that has nothing to send: only its pause changes are applied.
HEDDLE_FN void pass_pauses(const View& v, u32 link, u32 parity, TimePs to) {
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) PauseTimeline(v, link, p, parity).consume_up_to(to - 1);
}

HEDDLE_FN bool marks_class(const View& v, u32 link, u32 c) {
  return v.egress[link].ecn != kNone && ((v.settings.ecn_mask >> c) & 1);
}

/// One egress port during one pass. Packets that arrive in the pass are already in the rings, with their arrival times.
template <class Team, class Packets = Waiting<Team>>
class EgressService {
 public:
  /// `fresh[c]`: position of the first packet of class c that arrives in this pass.
  HEDDLE_FN EgressService(const Team& team, const View& v, u32 link, u32 parity, const u32* fresh,
                          const Packets& packets)
      : packets_(packets),
        team_(team),
        v_(v),
        s_(v.settings),
        link_(link),
        parity_(parity),
        egress_(v.egress[link]),
        free_(egress_.free_ps),
        peak_(v.link_tally[link]) {
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      queue_[c] = v.queue[link * classes_of<Team>(s_) + c];
      later_[c] = fresh[c];
      if constexpr (Packets::kInScratch) later_bytes_[c] = packets.arriving_bytes(c);
      load_head(c, queue_[c]);
      if (pfc_index_of<Team>(s_, c) != kNone && !pauses(c).idle()) pausable_ |= 1u << c;
    }
    if (marks_at_arrival<Team>(s_)) {
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) know_later(c, queue_[c]);
    }
  }

  /// Serves every start before `to`; calls `on_start(packet, start)` for each packet that leaves.
  template <class OnStart>
  HEDDLE_FN void serve(TimePs to, const OnStart& on_start) {
    peak_.begin<Team>(packets_, queue_, classes_of<Team>(s_), egress_, to);
    may_lose_ = links_fail<Team>(s_) && waiting_ != 0 && may_lose(v_, link_, to);
    const bool plain = !marks_at_arrival<Team>(s_) && !may_lose_;
    for (bool more = waiting_ != 0; team_.any(more);) {
      if (!more) continue;  // other lanes of the warp continue
      if (!Team::kInStep && (waiting_ & (waiting_ - 1)) == 0 && pausable_ == 0 && plain) {
        serve_one_class(lowest_bit(waiting_), to, on_start);  // no other class can become ready in this pass
        break;
      }
      const u32 eligible = find_start(to);
      more = eligible != 0;
      if (!more) continue;
      if (marks_at_arrival<Team>(s_)) mark_arrivals(start_);
      if (peak_.crowded() ||
          peak_.may_move(packets_, peak_.longest(), in_registers<Team>(queue_, peak_.longest()), start_))
        note_held(start_);
      const u32 c = choose_class<Team>(s_, v_.drr + link_, eligible,
                                       [&](u32 k) { return in_registers<Team>(head_, k).frame_bytes(); });
      depart(c, on_start);
      more = waiting_ != 0;
    }
    if (marks_at_arrival<Team>(s_)) mark_arrivals(to - 1);
    if (waiting_ != 0 && peak_.passed_by(waiting_bytes())) note_held(to - 1);
  }

  /// Writes the state back and publishes it under the other parity.
  HEDDLE_FN void finish(TimePs to) {
    for (u32 left = served_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left), q = link_ * classes_of<Team>(s_) + c;
      const Queue queue = in_registers<Team>(queue_, c);
      v_.queue[q] = queue;
      v_.published[parity_ ^ 1][q] = Published{queue.ring, queue.sent};
    }
    for (u32 left = pausable_; left != 0; left &= left - 1) pauses(lowest_bit(left)).consume_up_to(to - 1);
    egress_.free_ps = free_;
    LinkTally& tally = v_.link_tally[link_];
    peak_.finish(tally);
    if (marks_ != 0) tally.marks += marks_;  // with marking at arrival, also in ticks without a departure
    if (sent_packets_ != 0) {
      tally.sent_wire_bytes += sent_wire_bytes_;
      tally.sent_packets += sent_packets_;
      team_.add(team_.tally().packet_hops, u64{sent_packets_});
      wake(v_, egress_.dst_node, egress_.dst_port, parity_ ^ 1, first_arrival_);  // kNever: all packets were lost
    }
  }

  HEDDLE_FN u32 sent_packets() const { return sent_packets_; }
  /// Held bytes of waiting packets of class c, including those that arrive in this pass.
  HEDDLE_FN u64 queue_bytes(u32 c) const { return in_registers<Team>(queue_, c).bytes; }

 private:
  static constexpr u32 kClasses = Team::kPlain ? kPlainClasses : kMaxClasses;

  /// The common case: only class c has packets, and no pause is pending.
  template <class OnStart>
  HEDDLE_FN void serve_one_class(u32 c, TimePs to, const OnStart& on_start) {
    Queue q = queue_[c];
    const bool deficits = has_weights<Team>(s_) && !((s_.strict_mask >> c) & 1);
    const bool marks = marks_class(v_, link_, c);
    const u64 kmin_bytes = marks ? u64{v_.ecn[egress_.ecn].kmin_bytes} : ~u64{0};
    const bool reports = s_.report_departures;
    const u32 ps_per_byte_q16 = egress_.ps_per_byte_q16, cell_bytes = egress_.cell_bytes;
    const u32 gap_bytes = s_.wire_gap_bytes;
    const TimePs lambda_ps = egress_.lambda_ps;
    const u32 first = q.sent;
    Arrived arrived_part;
    TimePs free = free_;
    u64 wire_bytes = 0;
    while (q.sent != q.tail) {
      const u32 entry = q.ring.at(q.sent);
      const TimePs arrived = v_.pool.time_ps[entry];
      const TimePs start = arrived < free ? free : arrived;
      if (start >= to) break;
      const Packet packet = v_.pool.packet[entry];
      const u32 frame_bytes = packet.frame_bytes();
      if (deficits) serve_only(s_, v_.drr[link_], c, frame_bytes);
      if (peak_.may_move(packets_, c, q, start)) peak_.note(arrived_part.by(start, v_.pool, q, cell_bytes));
      if (q.bytes > kmin_bytes) {
        start_ = start;
        mark_departure(c, q, entry, packet);
      }
      if (reports) emit(team_, v_, packet_event(v_, EventKind::depart, link_, packet, start));
      free = start + ser_ps(frame_bytes + gap_bytes, ps_per_byte_q16);
      v_.pool.time_ps[entry] = free + lambda_ps;
      wire_bytes += frame_bytes + gap_bytes;
      ++q.sent;
      q.bytes -= held_bytes(frame_bytes, cell_bytes);
      on_start(packet, start);
    }
    if (sent_packets_ == 0 && q.sent != first) first_arrival_ = v_.pool.time_ps[q.ring.at(first)];
    free_ = free;
    served_ |= q.sent != first ? 1u << c : 0;
    sent_packets_ += q.sent - first;
    sent_wire_bytes_ += wire_bytes;
    queue_[c] = q;
    load_head(c, q);
  }

  HEDDLE_FN PauseTimeline pauses(u32 c) const { return {v_, link_, pfc_index_of<Team>(s_, c), parity_}; }

  HEDDLE_FN void load_head(u32 c, const Queue& q) {
    if (q.sent != q.tail) {
      waiting_ |= 1u << c;
      put_in_registers<Team>(head_ps_, c, packets_.ready_ps(c, q, q.sent));
      put_in_registers<Team>(head_, c, packets_.packet(c, q, q.sent));  // both loads at once: each waits for memory
    } else {
      waiting_ &= ~(1u << c);
    }
  }

  /// Sets start_ to the next start and returns the classes that may start then; 0 when there is no start before `to`.
  HEDDLE_FN u32 find_start(TimePs to) {
    start_ = to;
    u32 eligible = 0;
    for (u32 left = waiting_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      const TimePs head = in_registers<Team>(head_ps_, c);
      TimePs at = head < free_ ? free_ : head;
      if (at < to && ((pausable_ >> c) & 1)) at = pauses(c).allowed_from(at, to);
      if (at < start_) {
        start_ = at;
        eligible = 1u << c;
      } else if (at == start_ && at < to) {
        eligible |= 1u << c;
      }
    }
    return eligible;
  }

  template <class OnStart>
  HEDDLE_FN void depart(u32 c, const OnStart& on_start) {
    Queue q = in_registers<Team>(queue_, c);
    const u32 entry = q.ring.at(q.sent);
    const Packet packet = in_registers<Team>(head_, c);
    const u32 frame_bytes = packet.frame_bytes();
    served_ |= 1u << c;
    if (!marks_at_arrival<Team>(s_) && marks_class(v_, link_, c)) mark_departure(c, q, entry, packet);
    if (s_.report_departures)
      emit(team_, v_, packet_event(v_, EventKind::depart, link_, v_.pool.packet[entry], start_));
    free_ = start_ + ser_ps(frame_bytes + s_.wire_gap_bytes, egress_.ps_per_byte_q16);
    const TimePs arrival = free_ + egress_.lambda_ps;
    v_.pool.time_ps[entry] = arrival;
    ++sent_packets_;
    sent_wire_bytes_ += frame_bytes + s_.wire_gap_bytes;
    ++q.sent;
    q.bytes -= held_bytes(frame_bytes, egress_.cell_bytes);
    if (links_fail<Team>(s_) && may_lose_ && lose_packet(team_, v_, link_, entry, start_, arrival)) {
      const u32 later = in_registers<Team>(later_, c);
      if (static_cast<i32>(later - q.sent) >= 0) put_in_registers<Team>(later_, c, later - 1);
      Queue moved = q;  // a copy, so that q stays in registers although the call takes an address
      take_off_wire(v_, moved);
      q = moved;
    } else if (arrival < first_arrival_) {
      first_arrival_ = arrival;
    }
    put_in_registers<Team>(queue_, c, q);
    load_head(c, q);
    on_start(packet, start_);
  }

  HEDDLE_FN void mark_departure(u32 c, const Queue& q, u32 entry, const Packet& packet) {
    if (q.bytes <= v_.ecn[egress_.ecn].kmin_bytes) return;  // below kmin even with packets that have not arrived yet
    know_later(c, q);
    pass_arrivals(c, q, start_, [](u32, u32, u64) {});
    marks_ += mark_packet(team_, v_, link_, entry, packet, q.bytes - in_registers<Team>(later_bytes_, c), start_);
  }

  HEDDLE_FN void mark_arrivals(TimePs until) {
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      const Queue& q = queue_[c];
      pass_arrivals(c, q, until, [&](u32 entry, u32 position, u64 later_bytes) {
        if (!marks_class(v_, link_, c)) return;
        const TimePs when = v_.pool.time_ps[q.ring.at(position)];
        marks_ += mark_packet(team_, v_, link_, entry, v_.pool.packet[entry], q.bytes - later_bytes, when);
      });
    }
  }

  HEDDLE_FN u64 waiting_bytes() const {
    u64 bytes = 0;
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) bytes += queue_[c].bytes;
    return bytes;
  }

  /// Notes the bytes held by all classes together, with arrivals up to `at`.
  HEDDLE_FN void note_held(TimePs at) {
    Held all;
    for (u32 left = waiting_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      const Queue q = in_registers<Team>(queue_, c);
      if constexpr (Packets::kInScratch) {
        pass_arrivals(c, q, at, [](u32, u32, u64) {});
        const u32 end = in_registers<Team>(later_, c);
        if (end != q.sent) all += {q.bytes - in_registers<Team>(later_bytes_, c), packets_.arrival_ps(c, q, end - 1)};
      } else {
        all += Arrived().by(at, v_.pool, q, egress_.cell_bytes);
      }
    }
    peak_.note(all);
  }

  /// Counts the bytes of class c that have not arrived yet.
  HEDDLE_FN void know_later(u32 c, const Queue& q) {
    if (Packets::kInScratch || ((later_known_ >> c) & 1)) return;
    later_known_ |= 1u << c;
    u32 later = in_registers<Team>(later_, c);
    if (static_cast<i32>(later - q.sent) < 0) later = q.sent;
    put_in_registers<Team>(later_, c, later);
    u64 bytes = 0;
    for (; later != q.tail; ++later)
      bytes += held_bytes(v_.pool.packet[q.ring.at(later)].frame_bytes(), egress_.cell_bytes);
    put_in_registers<Team>(later_bytes_, c, bytes);
  }

  /// Moves the boundary between arrived and later packets to `until`, inclusive.
  template <class OnArrival>
  HEDDLE_FN void pass_arrivals(u32 c, const Queue& q, TimePs until, const OnArrival& on_arrival) {
    u32 later = in_registers<Team>(later_, c);
    u64 bytes = in_registers<Team>(later_bytes_, c);
    for (; later != q.tail && packets_.arrival_ps(c, q, later) <= until; ++later) {
      bytes -= held_bytes(packets_.packet(c, q, later).frame_bytes(), egress_.cell_bytes);
      on_arrival(q.ring.at(later), later, bytes);
    }
    put_in_registers<Team>(later_, c, later);
    put_in_registers<Team>(later_bytes_, c, bytes);
  }

  const Packets& packets_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const u32 link_;
  const u32 parity_;
  Egress& egress_;
  TimePs free_;
  TimePs start_ = 0;
  TimePs first_arrival_ = kNever;
  PeakWatch peak_;
  Queue queue_[kClasses];
  TimePs head_ps_[kClasses] = {};
  Packet head_[kClasses] = {};      // the ECN bit may be set in memory meanwhile
  u32 later_[kClasses] = {};        // first position that has not arrived
  u64 later_bytes_[kClasses] = {};  // bytes from later_ to the tail
  u32 waiting_ = 0;                 // classes with packets
  u32 pausable_ = 0;                // classes that are paused or have pause changes coming
  u32 served_ = 0;                  // classes that have sent a packet in this pass
  u32 later_known_ = 0;
  u32 sent_packets_ = 0;
  u32 marks_ = 0;
  u64 sent_wire_bytes_ = 0;
  bool may_lose_ = false;  // a packet that starts in this pass may get lost
};

}  // namespace heddle
