// The receiving ends of a NIC's queue pairs: order of reception, ACK, NAK, CNP (MODEL.md, 8.5).
#pragma once

#include "kernels/state/psn_set.hpp"
#include "kernels/transport/nic_context.hpp"
#include "kernels/transport/sender.hpp"
#include "kernels/transport/streams.hpp"

namespace heddle {

template <class Team>
class ReceiverSide {
 public:
  HEDDLE_FN ReceiverSide(const NicContext<Team>& context, const SenderSide<Team>& senders)
      : x_(context),
        v_(context.v),
        s_(context.v.settings),
        first_(v_.endpoint.first_receiver[context.e]),
        senders_(senders) {}

  HEDDLE_FN void on_data(const Packet& packet, TimePs t) const {
    const u32 n = packet.dst_qp();
    Receiver& q = v_.endpoint.receiver[first_ + n];
    const ReceiverPlan plan = x_.receiver_plan(n);
    const u32 psn = extend24(packet.psn(), q.expected);
    const i32 ahead = static_cast<i32>(psn - q.expected);
    const ControlView& control = s_.congestion;
    const bool cnp =
        packet.ecn() && control.sends_cnps && !is_tcp(plan) && (!q.cnp_sent || t - q.last_cnp_ps >= control.cnp_gap_ps);
    if (plan.connection == kNone && q.message < plan.messages) {
      ReceivedMessage& message = v_.endpoint.message.received[plan.first_message + q.message];
      message.ecn_marks += packet.ecn();
      message.cnps += cnp;
    }
    if (is_tcp(plan)) return with_copy([&](const ReceiverSide& side) { side.take_segment(Packet(packet), n, psn, t); });
    if (s_.roce.selective()) {
      with_copy(
          [&](const ReceiverSide& side) { side.take_in_any_order(Packet(packet), ReceiverPlan(plan), n, psn, t); });
    } else if (ahead > 0) {
      with_copy([&](const ReceiverSide& side) { side.note_out_of_order(ahead); });
      if (!q.nak_sent) {
        q.nak_sent = true;
        q.unacked = 0;
        answer(packet, plan, PacketKind::nak, q.expected, s_.roce.ack_wire_bytes, t);
      }
    } else {
      if (ahead == 0) {
        deliver(plan, q, packet.last(), t);
      } else {
        x_.team.add(x_.team.tally().duplicates, u64{1});
      }
      acknowledge(packet, plan, q, 1, packet.last(), t);
    }
    if (cnp) {
      q.cnp_sent = true;
      q.last_cnp_ps = t;
      answer(packet, plan, PacketKind::cnp, 0, s_.roce.cnp_wire_bytes, t);
      x_.team_emit(x_.event(EventKind::cnp, t, n));
    }
  }

  /// When a delayed ACK of TCP may be due.
  HEDDLE_FN TimePs next_due_ps() const { return any_tcp<Team>(s_) ? x_.nic().ack_bound_ps : kNever; }

  /// Sends the delayed ACKs that are due at t, in order of queue pair.
  HEDDLE_FN void fire(TimePs t) const {
    if (any_tcp<Team>(s_) && x_.nic().ack_bound_ps <= t)
      with_copy([&](const ReceiverSide& side) { side.send_delayed_acks(t); });
  }

 private:
  HEDDLE_FN bool is_tcp(const ReceiverPlan& plan) const { return goes_by_tcp<Team>(s_, plan.tcp); }

  /// Calls f with a copy: see SenderSide.
  template <class F>
  HEDDLE_FN void with_copy(const F& f) const {
    const NicContext<Team> context = x_;
    const SenderSide<Team> senders(context);
    f(ReceiverSide(context, senders));
  }

  /// Sends a control packet to the sender of `data`, by the ports by which this came.
  HEDDLE_FN void answer(const Packet& data, const ReceiverPlan& plan, PacketKind kind, u32 psn, u32 wire_bytes,
                        TimePs t) const {
    x_.append_control(plan.answer_class,
                      make_packet({data.src(), plan.sender_number, data.dst(), plan.entropy, psn,
                                   wire_bytes - s_.wire_gap_bytes, plan.answer_class, kind, false}),
                      t);
  }

  /// Sends an ACK at the end of a message, or after enough packets since the last ACK.
  HEDDLE_FN void acknowledge(const Packet& data, const ReceiverPlan& plan, Receiver& q, u32 packets, bool at_once,
                             TimePs t) const {
    q.unacked += packets;
    if (!at_once && q.unacked < s_.roce.ack_every) return;
    q.unacked = 0;
    answer(data, plan, PacketKind::ack, q.expected, s_.roce.ack_wire_bytes, t);
  }

  // ---- TCP (MODEL.md, 8.11).

  HEDDLE_FN TcpReceiver& tcp_of(const ReceiverPlan& plan) const { return v_.endpoint.tcp.receiver[plan.tcp]; }

  /// Sends an ACK of the expected segment, or a SACK of `psn`, by the port of the last data. `dsack`: it was a
  /// duplicate.
  HEDDLE_FN void answer_segment(const ReceiverPlan& plan, PacketKind kind, u32 psn, bool dsack, TimePs t) const {
    const TcpReceiver& c = tcp_of(plan);
    Packet packet =
        make_packet({address_of<Team>(s_, plan.src, c.port), plan.sender_number, x_.address(c.port), plan.entropy, psn,
                     s_.tcp.overhead_wire_bytes - s_.wire_gap_bytes, plan.answer_class, kind, dsack});
    if (c.ce) packet.set_ecn();
    x_.append_control(plan.answer_class, packet, t);
  }

  HEDDLE_FN void acknowledge_segments(const ReceiverPlan& plan, const Receiver& q, TimePs t) const {
    TcpReceiver& c = tcp_of(plan);
    c.pending = 0;
    if (c.ack_ps != kNever && --x_.nic().acks_delayed == 0) x_.nic().ack_bound_ps = kNever;
    c.ack_ps = kNever;
    answer_segment(plan, PacketKind::ack, q.expected, false, t);
  }

  HEDDLE_RARE_FN void take_segment(const Packet& data, u32 n, u32 psn, TimePs t) const {
    Receiver& q = v_.endpoint.receiver[first_ + n];
    const ReceiverPlan plan = x_.receiver_plan(n);
    TcpReceiver& c = tcp_of(plan);
    const PsnSet placed = tcp_set_of(v_, v_.endpoint.tcp.placed, plan.tcp);
    c.port = x_.port_of(data.dst());
    if (c.ce != data.ecn()) {
      if (c.pending > 0) acknowledge_segments(plan, q, t);
      c.ce = data.ecn();
    }
    if (psn_before(psn, q.expected) || placed.has(psn)) {
      x_.team.add(x_.team.tally().duplicates, u64{1});
      acknowledge_segments(plan, q, t);
      if (s_.tcp.loss_detection == TcpLossDetection::rack) answer_segment(plan, PacketKind::nak, psn, true, t);
    } else if (psn != q.expected) {
      note_out_of_order(static_cast<i32>(psn - q.expected));
      placed.put(psn);
      if (data.last()) tcp_set_of(v_, v_.endpoint.tcp.placed_last, plan.tcp).put(psn);
      ++c.placed;
      if (c.pending > 0) acknowledge_segments(plan, q, t);
      answer_segment(plan, PacketKind::nak, psn, false, t);
    } else {
      take_expected_segment(plan, q, data.last(), t);
      if (s_.roce.selective()) v_.endpoint.seen_end[first_ + n] = q.expected;  // as a receiver without gaps has it
    }
  }

  HEDDLE_FN void take_expected_segment(const ReceiverPlan& plan, Receiver& q, bool last, TimePs t) const {
    TcpReceiver& c = tcp_of(plan);
    const PsnSet placed = tcp_set_of(v_, v_.endpoint.tcp.placed, plan.tcp);
    const PsnSet placed_last = tcp_set_of(v_, v_.endpoint.tcp.placed_last, plan.tcp);
    const bool gap = c.placed > 0;
    deliver(plan, q, last, t);
    for (; c.placed > 0 && placed.has(q.expected); --c.placed) {
      const bool ends = placed_last.has(q.expected);
      placed.remove(q.expected);
      placed_last.remove(q.expected);
      deliver(plan, q, ends, t);
    }
    if (gap || ++c.pending >= s_.tcp.ack_every_segments || last) return acknowledge_segments(plan, q, t);
    if (c.pending > 1) return;
    c.ack_ps = t + s_.tcp.ack_delay_ps;
    ++x_.nic().acks_delayed;
    if (c.ack_ps < x_.nic().ack_bound_ps) x_.nic().ack_bound_ps = c.ack_ps;
  }

  HEDDLE_RARE_FN void send_delayed_acks(TimePs t) const {
    TimePs bound = kNever;
    const u32 count = v_.endpoint.first_receiver[x_.e + 1] - first_;
    for (u32 n = 0; n < count; ++n) {
      const ReceiverPlan plan = x_.receiver_plan(n);
      if (plan.tcp == kNone) continue;
      if (tcp_of(plan).ack_ps <= t) acknowledge_segments(plan, v_.endpoint.receiver[first_ + n], t);
      if (tcp_of(plan).ack_ps < bound) bound = tcp_of(plan).ack_ps;
    }
    x_.nic().ack_bound_ps = bound;
  }

  HEDDLE_RARE_FN void note_out_of_order(i32 ahead) const {
    x_.team.add(x_.team.tally().out_of_order, u64{1});
    if (ahead > x_.team.tally().largest_reordering) x_.team.raise(x_.team.tally().largest_reordering, i64{ahead});
  }

  /// Selective repeat. The sender's window ensures that every PSN is before expected + window.
  HEDDLE_RARE_FN void take_in_any_order(const Packet& data, const ReceiverPlan& plan, u32 n, u32 psn, TimePs t) const {
    Receiver& q = v_.endpoint.receiver[first_ + n];
    const PsnSet placed = placed_of(v_, first_ + n), placed_last = placed_last_of(v_, first_ + n);
    const i32 ahead = static_cast<i32>(psn - q.expected);
    if (ahead < 0 || placed.has(psn)) {
      x_.team.add(x_.team.tally().duplicates, u64{1});
      acknowledge(data, plan, q, 1, true, t);
    } else if (ahead > 0) {
      note_out_of_order(ahead);
      placed.put(psn);
      if (data.last()) placed_last.put(psn);
      ask_for_missing(data, plan, n, psn, t);
    } else {
      take_expected(data, plan, n, t);
    }
  }

  /// The expected packet arrived: it and all placed packets that follow it are received, in order.
  HEDDLE_FN void take_expected(const Packet& data, const ReceiverPlan& plan, u32 n, TimePs t) const {
    Receiver& q = v_.endpoint.receiver[first_ + n];
    const PsnSet placed = placed_of(v_, first_ + n), placed_last = placed_last_of(v_, first_ + n);
    u32& seen_end = v_.endpoint.seen_end[first_ + n];
    const u32 before = q.expected;
    const bool requested = seen_end - before > s_.roce.reorder_distance_packets;
    bool message_ended = data.last();
    deliver(plan, q, data.last(), t);
    while (placed.has(q.expected)) {
      const bool ends = placed_last.has(q.expected);
      placed.remove(q.expected);
      placed_last.remove(q.expected);
      message_ended = message_ended || ends;
      deliver(plan, q, ends, t);
    }
    if (static_cast<i32>(q.expected - seen_end) > 0) seen_end = q.expected;
    acknowledge(data, plan, q, q.expected - before, message_ended || requested, t);
  }

  /// A packet arrived beyond others. Missing packets now too far behind the highest seen count as lost: sends a NAK for
  /// each, and another NAK half a window later.
  HEDDLE_FN void ask_for_missing(const Packet& data, const ReceiverPlan& plan, u32 n, u32 psn, TimePs t) const {
    u32& seen_end = v_.endpoint.seen_end[first_ + n];
    if (static_cast<i32>(psn + 1 - seen_end) <= 0) return;
    const u32 seen_before = seen_end, second = s_.roce.second_distance_packets();
    seen_end = psn + 1;
    const i32 asked = second == 0 ? 0 : ask_behind(data, plan, n, seen_before, second, 0, t);
    ask_behind(data, plan, n, seen_before, s_.roce.reorder_distance_packets, asked, t);
  }

  /// Sends a NAK for each missing packet, from expected + `least` on, that is now more than `distance` behind the
  /// highest seen, but was not before. Returns the end of that range, counted from the expected packet.
  HEDDLE_FN i32 ask_behind(const Packet& data, const ReceiverPlan& plan, u32 n, u32 seen_before, u32 distance,
                           i32 least, TimePs t) const {
    const Receiver& q = v_.endpoint.receiver[first_ + n];
    const PsnSet placed = placed_of(v_, first_ + n);
    const i32 judged = static_cast<i32>(seen_before - q.expected - distance);  // decided at earlier arrivals
    const i32 end = static_cast<i32>(v_.endpoint.seen_end[first_ + n] - q.expected - distance);
    for (i32 i = judged > least ? judged : least; i < end; ++i) {
      const u32 missing = q.expected + static_cast<u32>(i);
      if (!placed.has(missing)) answer(data, plan, PacketKind::nak, missing, s_.roce.ack_wire_bytes, t);
    }
    return end > least ? end : least;
  }

  HEDDLE_FN void deliver(const ReceiverPlan& plan, Receiver& q, bool last, TimePs t) const {
    ++q.expected;
    q.nak_sent = false;
    x_.team.add(x_.team.tally().data_received, u64{1});
    if (!last) return;
    if (plan.connection == kNone) {
      const u32 m = plan.first_message + q.message++;
      v_.endpoint.message.received[m].received_ps = t;
      x_.team_emit(x_.event(EventKind::message_received, t, m));
      if (s_.messages_wait) senders_.message_done(m, true, t);
      return;
    }
    const ConnectionPlan c = x_.connection(plan.connection);
    RecvState& state = v_.collective.recv[c.recv_end];
    const u32 slice = slice_of(c, q.message++, plan.scaling_index);
    if (--state.parts_left[slice % kMaxSlots] != 0) return;
    if (v_.collective.step[state.step].protocol == Protocol::simple) return x_.flush_later(plan.connection, slice, t);
    x_.slice_in(c, slice);  // its flags are in the data
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Settings& s_;
  const u32 first_;
  const SenderSide<Team>& senders_;
};

}  // namespace heddle
