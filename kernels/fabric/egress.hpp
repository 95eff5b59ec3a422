// An egress port of a switch: serves its FIFOs over time, marks, and writes departures onto its wire (MODEL.md, 5).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/lost_packets.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/peak.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/service.hpp"
#include "kernels/state/emit.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Decides the mark of the packet at `entry` of egress `link`, which sees `queue_bytes`, itself included, at `when`.
/// Returns whether it was marked now.
template <class Team>
HEDDLE_FN bool mark_packet(const Team& team, const View& v, u32 link, u32 entry, u64 queue_bytes, TimePs when) {
  const EcnProfile& ecn = v.ecn[v.egress[link].ecn];
  const Packet packet = v.pool.packet[entry];
  if (queue_bytes <= ecn.kmin_bytes || packet.ecn() || packet.kind() != PacketKind::data) return false;
  if (queue_bytes <= ecn.kmax_bytes) {
    const u64 coin = hash32(v.settings.seed, Stream::ecn, port_word(v, link), static_cast<u64>(when));
    team.add(team.tally().timely, u64{1});
    if (coin * (ecn.kmax_bytes - ecn.kmin_bytes) >= ecn.pmax_q32 * (queue_bytes - ecn.kmin_bytes)) return false;
  }
  v.pool.packet[entry].set_ecn();
  emit(team, v, packet_event(v, EventKind::mark, link, packet, when));
  return true;
}

/// Nothing waits at egress `link`, and nothing arrives in this pass.
template <class Team>
HEDDLE_FN bool has_nothing_to_send(const View& v, u32 link) {
  const u32 classes = classes_of<Team>(v.settings), first = link * classes;
  for (u32 q = first; q < first + classes; ++q) {
    if (v.queue[q].sent != v.queue[q].tail) return false;
  }
  return true;
}

/// A pass up to `to` of an egress that has nothing to send: its pauses go on.
HEDDLE_FN void pass_pauses(const View& v, u32 link, u32 parity, TimePs to) {
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) PauseTimeline(v, link, p, parity).consume_up_to(to - 1);
}

HEDDLE_FN bool marks_class(const View& v, u32 link, u32 c) {
  return v.egress[link].ecn != kNone && ((v.settings.ecn_mask >> c) & 1);
}

/// One egress port during one pass. Packets that arrive in the pass are in the rings already, with their arrival times.
template <class Team>
class EgressService {
 public:
  /// `fresh[c]`: position of the first packet of class c that arrives in this pass.
  HEDDLE_FN EgressService(const Team& team, const View& v, u32 link, u32 parity, const u32* fresh)
      : team_(team),
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
      load_head(c);
      if (pfc_index_of<Team>(s_, c) != kNone && !pauses(c).idle()) pausable_ |= 1u << c;
    }
    if (marks_at_arrival<Team>(s_)) {
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) know_later(c);
    }
  }

  /// Serves every start before `to`; `on_start(packet, start)` sees each packet leave.
  template <class OnStart>
  HEDDLE_FN void serve(TimePs to, const OnStart& on_start) {
    peak_.begin(v_.pool, queue_, classes_of<Team>(s_), egress_, to);
    may_lose_ = links_fail<Team>(s_) && waiting_ != 0 && may_lose(v_, link_, to);
    const bool plain = !marks_at_arrival<Team>(s_) && !may_lose_;
    while (waiting_ != 0) {
      if ((waiting_ & (waiting_ - 1)) == 0 && pausable_ == 0 && plain) {
        serve_one_class(lowest_bit(waiting_), to, on_start);  // nothing else can come in this pass
        break;
      }
      const u32 eligible = find_start(to);
      if (eligible == 0) break;
      if (marks_at_arrival<Team>(s_)) mark_arrivals(start_);
      if (peak_.crowded() || peak_.may_move(v_.pool, queue_[peak_.longest()], start_)) note_held(start_);
      const u32 c = choose_class<Team>(s_, v_.drr + link_, eligible, [&](u32 k) {
        return v_.pool.packet[queue_[k].ring.at(queue_[k].sent)].frame_bytes();
      });
      depart(c, on_start);
    }
    if (marks_at_arrival<Team>(s_)) mark_arrivals(to - 1);
    if (waiting_ != 0 && peak_.passed_by(waiting_bytes())) note_held(to - 1);
  }

  /// Writes the state back and publishes it under the other parity.
  HEDDLE_FN void finish(TimePs to) {
    for (u32 left = served_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left), q = link_ * classes_of<Team>(s_) + c;
      v_.queue[q] = queue_[c];
      v_.published[parity_ ^ 1][q] = Published{queue_[c].ring, queue_[c].sent};
    }
    for (u32 left = pausable_; left != 0; left &= left - 1) pauses(lowest_bit(left)).consume_up_to(to - 1);
    egress_.free_ps = free_;
    LinkTally& tally = v_.link_tally[link_];
    peak_.finish(tally);
    if (marks_ != 0) tally.marks += marks_;  // at arrival also in ticks without a departure
    if (sent_packets_ != 0) {
      tally.sent_wire_bytes += sent_wire_bytes_;
      tally.sent_packets += sent_packets_;
      team_.add(team_.tally().packet_hops, u64{sent_packets_});
      wake(v_, egress_.dst_node, egress_.dst_port, parity_ ^ 1, first_arrival_);  // kNever: all were lost
    }
  }

  HEDDLE_FN u32 sent_packets() const { return sent_packets_; }
  /// Held bytes of class c that wait, those that arrive in this pass included.
  HEDDLE_FN u64 queue_bytes(u32 c) const { return queue_[c].bytes; }

 private:
  /// The common case: packets of class c alone, no pause in sight.
  template <class OnStart>
  HEDDLE_FN void serve_one_class(u32 c, TimePs to, const OnStart& on_start) {
    Queue q = queue_[c];
    const bool deficits = has_weights<Team>(s_) && !((s_.strict_mask >> c) & 1);
    const bool marks = marks_class(v_, link_, c);
    const u64 kmin_bytes = marks ? u64{v_.ecn[egress_.ecn].kmin_bytes} : ~u64{0};
    const bool reports = s_.report_departures;
    const u32 ps_per_byte_q16 = egress_.ps_per_byte_q16, cell_bytes = egress_.cell_bytes;
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
      if (peak_.may_move(v_.pool, q, start)) peak_.note(arrived_part.by(start, v_.pool, q, cell_bytes));
      if (q.bytes > kmin_bytes) {
        queue_[c] = q;
        start_ = start;
        mark_departure(c, entry);
      }
      if (reports) emit(team_, v_, packet_event(v_, EventKind::depart, link_, packet, start));
      free = start + ser_ps(frame_bytes + kWireGapBytes, ps_per_byte_q16);
      v_.pool.time_ps[entry] = free + lambda_ps;
      wire_bytes += frame_bytes + kWireGapBytes;
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
    load_head(c);
  }

  HEDDLE_FN PauseTimeline pauses(u32 c) const { return {v_, link_, pfc_index_of<Team>(s_, c), parity_}; }

  HEDDLE_FN void load_head(u32 c) {
    const Queue& q = queue_[c];
    if (q.sent != q.tail) {
      waiting_ |= 1u << c;
      head_ps_[c] = v_.pool.time_ps[q.ring.at(q.sent)];
    } else {
      waiting_ &= ~(1u << c);
    }
  }

  /// Sets start_ to the next start and returns the classes that may start then; 0 when there is none before `to`.
  HEDDLE_FN u32 find_start(TimePs to) {
    start_ = to;
    u32 eligible = 0;
    for (u32 left = waiting_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      TimePs at = head_ps_[c] < free_ ? free_ : head_ps_[c];
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
    Queue& q = queue_[c];
    const u32 entry = q.ring.at(q.sent);
    const Packet packet = v_.pool.packet[entry];
    const u32 frame_bytes = packet.frame_bytes();
    served_ |= 1u << c;
    if (!marks_at_arrival<Team>(s_) && marks_class(v_, link_, c)) mark_departure(c, entry);
    if (s_.report_departures) emit(team_, v_, packet_event(v_, EventKind::depart, link_, packet, start_));
    free_ = start_ + ser_ps(frame_bytes + kWireGapBytes, egress_.ps_per_byte_q16);
    const TimePs arrival = free_ + egress_.lambda_ps;
    v_.pool.time_ps[entry] = arrival;
    ++sent_packets_;
    sent_wire_bytes_ += frame_bytes + kWireGapBytes;
    ++q.sent;
    q.bytes -= held_bytes(frame_bytes, egress_.cell_bytes);
    if (may_lose_ && lose_packet(team_, v_, link_, entry, start_, arrival)) {
      if (static_cast<i32>(later_[c] - q.sent) >= 0) --later_[c];
      take_off_wire(v_, q);
    } else if (arrival < first_arrival_) {
      first_arrival_ = arrival;
    }
    load_head(c);
    on_start(packet, start_);
  }

  HEDDLE_FN void mark_departure(u32 c, u32 entry) {
    if (queue_[c].bytes <= v_.ecn[egress_.ecn].kmin_bytes) return;  // even with what has not arrived yet
    know_later(c);
    pass_arrivals(c, start_, [](u32, u32) {});
    marks_ += mark_packet(team_, v_, link_, entry, queue_[c].bytes - later_bytes_[c], start_);
  }

  HEDDLE_FN void mark_arrivals(TimePs until) {
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      pass_arrivals(c, until, [&](u32 entry, u32 position) {
        if (!marks_class(v_, link_, c)) return;
        const TimePs when = v_.pool.time_ps[queue_[c].ring.at(position)];
        marks_ += mark_packet(team_, v_, link_, entry, queue_[c].bytes - later_bytes_[c], when);
      });
    }
  }

  HEDDLE_FN u64 waiting_bytes() const {
    u64 bytes = 0;
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) bytes += queue_[c].bytes;
    return bytes;
  }

  /// All classes together, with arrivals up to `at`.
  HEDDLE_FN void note_held(TimePs at) {
    Held all;
    for (u32 left = waiting_; left != 0; left &= left - 1)
      all += Arrived().by(at, v_.pool, queue_[lowest_bit(left)], egress_.cell_bytes);
    peak_.note(all);
  }

  /// Counts the bytes of class c that have not arrived yet.
  HEDDLE_FN void know_later(u32 c) {
    if ((later_known_ >> c) & 1) return;
    later_known_ |= 1u << c;
    if (static_cast<i32>(later_[c] - queue_[c].sent) < 0) later_[c] = queue_[c].sent;
    later_bytes_[c] = 0;
    for (u32 p = later_[c]; p != queue_[c].tail; ++p)
      later_bytes_[c] += held_bytes(v_.pool.packet[queue_[c].ring.at(p)].frame_bytes(), egress_.cell_bytes);
  }

  /// Moves the boundary of what has arrived to `until`, inclusive.
  template <class OnArrival>
  HEDDLE_FN void pass_arrivals(u32 c, TimePs until, const OnArrival& on_arrival) {
    const Queue& q = queue_[c];
    while (later_[c] != q.tail && v_.pool.time_ps[q.ring.at(later_[c])] <= until) {
      const u32 entry = q.ring.at(later_[c]);
      later_bytes_[c] -= held_bytes(v_.pool.packet[entry].frame_bytes(), egress_.cell_bytes);
      on_arrival(entry, later_[c]);
      ++later_[c];
    }
  }

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
  Queue queue_[kMaxClasses];
  TimePs head_ps_[kMaxClasses];
  u32 later_[kMaxClasses];        // first position that has not arrived
  u64 later_bytes_[kMaxClasses];  // from there to the tail
  u32 waiting_ = 0;               // classes with packets
  u32 pausable_ = 0;              // classes that are paused or have pause changes coming
  u32 served_ = 0;                // classes of which something was sent
  u32 later_known_ = 0;
  u32 sent_packets_ = 0;
  u32 marks_ = 0;
  u64 sent_wire_bytes_ = 0;
  bool may_lose_ = false;  // some packet that starts in this pass may not arrive
};

}  // namespace heddle
