// The sending ends of a NIC's queue pairs: readiness, retransmission, pacing (MODEL.md, 8.1 to 8.4 and 8.7).
#pragma once

#include "kernels/state/psn_set.hpp"
#include "kernels/transport/nic_context.hpp"
#include "kernels/transport/pacing.hpp"
#include "kernels/transport/streams.hpp"
#include "kernels/transport/tcp_scoreboard.hpp"
#include "kernels/transport/timeouts.hpp"
#include "kernels/transport/timers.hpp"

namespace heddle {

template <class Team>
class SenderSide {
 public:
  HEDDLE_FN explicit SenderSide(const NicContext<Team>& context)
      : x_(context),
        v_(context.v),
        s_(context.v.settings),
        first_(v_.endpoint.first_sender[context.e]),
        count_(v_.endpoint.first_sender[context.e + 1] - first_),
        ready_(v_.endpoint.ready + v_.endpoint.first_ready_word[context.e]),
        words_((count_ + 63) / 64) {}

  /// Recomputes whether sender `n` (its number at this NIC) can send at t, and updates the ready set.
  HEDDLE_FN void update(u32 n, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    const u32 ports = ports_of(n, plan, t);
    set_ready(n, plan.traffic_class, q, can_send(n, q, plan, ports, t) ? ports : 0);
  }

  /// The next start's packet of class c at a port: the first ready sender after the last served, in order of their
  /// numbers.
  HEDDLE_FN u32 pick(u32 port, u32 c) const {
    const u64* words = ready_set(port, c);
    const u32 after = x_.port(port).last_served + 1;
    const u32 from = after >= count_ ? 0 : after;
    u64 word = words[from / 64] >> (from % 64) << (from % 64);
    for (u32 w = from / 64;;) {
      if (word != 0) return w * 64 + lowest_bit(word);
      w = w + 1 == words_ ? 0 : w + 1;
      word = words[w];
    }
  }

  HEDDLE_FN u32 next_wire_bytes(u32 n) const {
    const Sender& q = v_.endpoint.sender[first_ + n];
    if (is_tcp(n)) return with_copy([&](SenderSide side) { return side.segment_wire_bytes(n); });
    if (q.repeats) return with_copy([&](SenderSide side) { return side.repeat_wire_bytes(n, q); });
    return wire_bytes({q.message, q.begin, q.packets, q.bytes}, q.next);
  }

  /// Makes sender n's next packet, of next_wire_bytes, which starts at t at a port. Once the transmitter's next free
  /// instant is set, update() follows.
  HEDDLE_FN void send(u32 port, u32 n, u32 wire, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    if (is_tcp(n)) return with_copy([&](SenderSide side) { side.send_segment(port, n, wire, t); });
    if (q.repeats) return with_copy([&](SenderSide side) { side.send_again(port, n, wire, t); });
    const SenderPlan plan = x_.sender_plan(n);
    const bool last = q.next - q.begin + 1 == q.packets;
    const Packet packet = data_packet(port, plan, q.next, wire, last);
    note_start(n, plan, q, packet, t);
    x_.append(port, plan.traffic_class, packet, t);
    const u32 psn = q.next++;
    if (static_cast<i32>(q.next - q.sent_end) > 0) q.sent_end = q.next;
    if (last) {
      q.begin += q.packets;
      ++q.message;
      q.packets = 0;
    }
    note_served(port, n, q, psn, wire, t);
  }

  /// TCP alone has `ece`, the receiver has seen marks, and `dsack`, this SACK names a duplicate.
  HEDDLE_FN void on_ack(u32 n, u32 psn24, bool nak, bool ece, bool dsack, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    if (q.tries == kFailed) return;
    if (goes_by_tcp<Team>(s_, plan.tcp))
      return with_copy([&](SenderSide side) { side.take_answer(n, psn24, {nak, dsack, ece}, t); });
    const u32 psn = extend24(psn24, q.una);
    if (nak && s_.roce.selective()) {
      repeat(n, q, psn);
      return update(n, t);
    }
    if (static_cast<i32>(psn - q.una) > 0) {
      if (q.repeats) with_copy([&](SenderSide side) { side.forget_repeats(n, q, psn); });
      const u32 advance = psn - q.una;
      q.una = psn;
      q.last_progress_ps = t;
      q.tries = 0;
      if (psn == q.sent_end && --x_.nic().outstanding == 0) x_.nic().rto_bound_ps = kNever;
      complete_messages(plan, q, t);
      if (static_cast<i32>(q.next - q.una) < 0) rewind(q);
      if (s_.roce.selective()) note_progress(n, q, advance, t);
      if (s_.congestion.any()) paced(n).note_ack(advance, t);
    }
    if (nak) rewind(q);
    update(n, t);
  }

  HEDDLE_FN void on_cnp(u32 n, TimePs t) const {
    if (!s_.congestion.any()) return;
    paced(n).slow_down(t);
    // Ready: it was counted so ahead of its pace, while the transmitter was busy. Timed: its pace may have come nearer,
    // as a cut takes DCQCN's stages back to an additive step that may be larger than the hyper step.
    const Sender& q = v_.endpoint.sender[first_ + n];
    if (q.ready != 0 || q.timed) update(n, t);
  }

  /// Message `m` is acknowledged to this NIC, or received by it: posts those that have waited for it.
  HEDDLE_FN void message_done(u32 m, bool received, TimePs t) const {
    with_copy([&](SenderSide side) { side.post_waiting(2 * m + (received ? 1 : 0), t); });
  }

  /// This NIC takes a batch of a program at t: posts its messages.
  HEDDLE_FN void take_batch(u32 batch, TimePs t) const {
    with_copy([&](SenderSide side) { side.post_waiting(2 * v_.endpoint.waits.messages + batch, t); });
  }

  /// Ports of this NIC or of others went out of service at t, or came back.
  HEDDLE_FN void ports_changed(TimePs t) const {
    with_copy([&](SenderSide side) { side.update_ready(t); });
  }

  /// Earliest instant at which a timer or a retransmission timeout may be due.
  HEDDLE_FN TimePs next_due_ps() const {
    const Nic& nic = x_.nic();
    return nic.timer_ps < nic.rto_bound_ps ? nic.timer_ps : nic.rto_bound_ps;
  }

  /// The timer stage at t: retransmission timeouts in order of QP, then senders whose pace or posting time has come.
  HEDDLE_FN void fire(TimePs t) const {
    Nic& nic = x_.nic();
    if (nic.rto_bound_ps <= t) {
      nic.rto_bound_ps = check_timeouts(
          v_.endpoint.sender + first_, count_, t, [&](u32 n, const Sender& q) { return timeout_due_ps(n, q); },
          [&](u32 n, Sender& q) { time_out(n, q, t); });
    }
    while (nic.timer_ps <= t) {
      const Timer timer = pop_timer(v_.endpoint.timers + first_, nic);
      v_.endpoint.sender[first_ + timer.sender].timed = false;
      update(timer.sender, t);
    }
  }

 private:
  /// Calls f with a copy: rare functions are calls, and an object that a call may access cannot stay in registers.
  template <class F>
  HEDDLE_FN auto with_copy(const F& f) const {
    const NicContext<Team> context = x_;
    return f(SenderSide(context));
  }

  HEDDLE_RARE_FN void update_ready(TimePs t) const {
    for (u32 n = 0; n < count_; ++n) {
      if (v_.endpoint.sender[first_ + n].ready != 0) update(n, t);
    }
  }

  /// `place`: in MessageWaits::first.
  HEDDLE_RARE_FN void post_waiting(u32 place, TimePs t) const {
    const MessageWaits& waits = v_.endpoint.waits;
    for (u32 i = waits.first[place]; i < waits.first[place + 1]; ++i) {
      const WaitingMessage waiting = waits.waiting[i];
      u32& left = waits.left[waiting.message];
      if (left == 0 || --left != 0) continue;
      const TimePs posted = t + waiting.post_ps;
      global_store(waits.posted_ps[waiting.message], posted);
      if (!any_batches<Team>(s_) || waiting.message < waits.messages) {
        update(waiting.sender, t);
      } else {
        x_.note_batch(waiting.sender, posted);
      }
    }
  }

  /// A message of a queue pair: its number there, its first PSN, its size.
  struct Stretch {
    u32 message, begin, packets;
    u64 bytes;
  };

  HEDDLE_FN u32 wire_bytes(const Stretch& of, u32 psn) const {
    const u32 index = psn - of.begin;
    const u64 left = of.bytes - static_cast<u64>(index) * s_.roce.mtu_bytes;
    const u32 payload = left < s_.roce.mtu_bytes ? static_cast<u32>(left) : s_.roce.mtu_bytes;
    return payload + s_.roce.data_overhead_wire_bytes + (index == 0 ? s_.roce.reth_bytes : 0);
  }

  // ---- Selective repeat: PSNs to retransmit. They are sent before anything new, the lowest first.

  /// A NAK or the low timeout requests a retransmission. PSNs from `next` on will be sent anyway.
  HEDDLE_FN void repeat(u32 n, Sender& q, u32 psn) const {
    low_timer(n).timing = false;
    if (static_cast<i32>(psn - q.una) < 0 || static_cast<i32>(psn - q.next) >= 0) return;
    repeats_of(v_, first_ + n).put(psn);
    q.repeats = true;
  }

  /// All PSNs before `end` have been received.
  HEDDLE_RARE_FN void forget_repeats(u32 n, Sender& q, u32 end) const {
    const PsnSet set = repeats_of(v_, first_ + n);
    for (u32 psn = q.una; psn != end; ++psn) set.remove(psn);
    q.repeats = !set.empty();
  }

  HEDDLE_FN void forget_all_repeats(u32 n, Sender& q) const {
    repeats_of(v_, first_ + n).clear();
    q.repeats = false;
  }

  /// The message that holds `psn`, which was sent and is not acknowledged.
  HEDDLE_FN Stretch message_of(const SenderPlan& plan, const Sender& q, u32 psn) const {
    Stretch at{q.una_message, q.una_begin, 0, 0};
    for (;; ++at.message) {
      at.bytes = message_bytes(plan, at.message);
      at.packets = packets_of(payload_of<Team>(s_, plan.tcp), at.bytes);
      if (psn - at.begin < at.packets) return at;
      at.begin += at.packets;
    }
  }

  HEDDLE_RARE_FN u32 repeat_wire_bytes(u32 n, const Sender& q) const {
    const u32 psn = repeats_of(v_, first_ + n).first_from(q.una);
    return wire_bytes(message_of(x_.sender_plan(n), q, psn), psn);
  }

  HEDDLE_RARE_FN void send_again(u32 port, u32 n, u32 wire, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    const PsnSet set = repeats_of(v_, first_ + n);
    const u32 psn = set.first_from(q.una);
    const Stretch of = message_of(plan, q, psn);
    set.remove(psn);
    q.repeats = !set.empty();
    const bool last = psn - of.begin + 1 == of.packets;
    const Packet packet = data_packet(port, plan, psn, wire, last);
    note_retransmission(plan, of.message, packet, t);
    x_.append(port, plan.traffic_class, packet, t);
    note_served(port, n, q, psn, wire, t);
  }

  // ---- TCP (MODEL.md, 8.11).

  HEDDLE_FN bool is_tcp(u32 n) const { return any_tcp<Team>(s_) && x_.sender_plan(n).tcp != kNone; }

  HEDDLE_FN TcpScoreboard scoreboard(const SenderPlan& plan, Sender& q) const {
    const TcpConnections& all = v_.endpoint.tcp;
    return {q, all.sender[plan.tcp], tcp_set_of(v_, all.sacked, plan.tcp), s_.tcp};
  }

  /// The next segment to start: one that is missing, before anything new. A new one's message has been loaded.
  struct Segment {
    u32 psn;
    Stretch of;
    bool is_new;
  };
  HEDDLE_FN Segment next_segment(const SenderPlan& plan, Sender& q) const {
    const TcpScoreboard board = scoreboard(plan, q);
    if (board.c.missing == 0) return {q.next, {q.message, q.begin, q.packets, q.bytes}, true};
    const u32 psn = board.first_missing();
    return {psn, message_of(plan, q, psn), false};
  }

  HEDDLE_RARE_FN u32 segment_wire_bytes(u32 n) const {
    const Segment segment = next_segment(x_.sender_plan(n), v_.endpoint.sender[first_ + n]);
    const u64 left = segment.of.bytes - static_cast<u64>(segment.psn - segment.of.begin) * s_.tcp.segment_bytes;
    const u32 payload = left < s_.tcp.segment_bytes ? static_cast<u32>(left) : s_.tcp.segment_bytes;
    return payload + s_.tcp.overhead_wire_bytes;
  }

  HEDDLE_RARE_FN void send_segment(u32 port, u32 n, u32 wire, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    const TcpScoreboard board = scoreboard(plan, q);
    const Segment segment = next_segment(plan, q);
    const bool last = segment.psn - segment.of.begin + 1 == segment.of.packets;
    const Packet packet = data_packet(port, plan, segment.psn, wire, last);
    const TcpWindow before = window_of(board.c);
    board.start(segment.psn, t);
    report_window(n, before, board.c, t);
    if (q.una == q.next) {
      ++x_.nic().outstanding;
      q.last_progress_ps = t;
    }
    bring_bound_nearer(board.deadline_ps());
    if (segment.is_new) {
      SentMessage& message = v_.endpoint.message.sent[plan.first_message + q.message];
      if (message.start_ps < 0) message.start_ps = t;
      q.sent_end = ++q.next;
      if (last) {
        q.begin += q.packets;
        ++q.message;
        q.packets = 0;
      }
    } else {
      note_retransmission(plan, segment.of.message, packet, t);
    }
    x_.append(port, plan.traffic_class, packet, t);
    q.last_start_ps = t;
    q.last_wire_bytes = wire;
    board.pace(wire - s_.tcp.overhead_wire_bytes, can_send_segment(n, t), t);
    const u32 turn = n == 0 ? count_ - 1 : n - 1;
    x_.port(port).last_served = board.c.burst_left == 0 ? n : turn;  // it keeps the turn
  }

  HEDDLE_RARE_FN void take_answer(u32 n, u32 psn24, const TcpAnswer& answer, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    const TcpScoreboard board = scoreboard(plan, q);
    const TcpNews news = board.take(extend24(psn24, q.una), answer, t);
    if (news.acked != 0) {
      if (q.una != q.next) {
        bring_bound_nearer(board.deadline_ps());
      } else if (--x_.nic().outstanding == 0) {
        x_.nic().rto_bound_ps = kNever;
      } else if (s_.roce.rto_ps == 0) {
        x_.nic().rto_bound_ps = t;  // finds the bound again: the others may have no timer, and the run may stall
      }
      complete_messages(plan, q, t);
    }
    if (board.c.reorder_due_ps != kNever) bring_bound_nearer(board.c.reorder_due_ps);
    const TcpWindow before = window_of(board.c);
    board.react(news, t);
    report_window(n, before, board.c, t);
    update(n, t);
  }

  /// Whether a segment may start at t, or when the first transmitter of these ports is free.
  HEDDLE_RARE_FN bool can_send_by_now(u32 n, u32 ports, TimePs t) const {
    if (!can_send_segment(n, t)) return false;
    Sender& q = v_.endpoint.sender[first_ + n];
    const TcpSender& c = scoreboard(x_.sender_plan(n), q).c;
    if (c.burst_left != 0 || c.pace_ps <= t || c.pace_ps <= first_free_ps(ports)) return true;
    wait(n, q, c.pace_ps);
    return false;
  }

  /// Whether the window and the data allow a segment.
  HEDDLE_RARE_FN bool can_send_segment(u32 n, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const SenderPlan plan = x_.sender_plan(n);
    const TcpScoreboard board = scoreboard(plan, q);
    if (!board.c.started()) board.c.start(s_.tcp);
    if (!board.window_is_open()) return false;
    if (board.c.missing != 0) return true;
    return (q.packets != 0 || load_message(n, q, plan, t)) && board.takes_new();
  }

  HEDDLE_RARE_FN TimePs tcp_deadline_ps(u32 n) const {
    return scoreboard(x_.sender_plan(n), v_.endpoint.sender[first_ + n]).deadline_ps();
  }

  HEDDLE_RARE_FN void time_out_tcp(u32 n, TimePs t) const {
    Sender& q = v_.endpoint.sender[first_ + n];
    const TcpScoreboard board = scoreboard(x_.sender_plan(n), q);
    const TcpWindow before = window_of(board.c);
    if (board.rto_deadline_ps() > t) {
      board.reorder_time_out(t);
    } else {
      q.last_progress_ps = t;
      if (x_.try_again(q.tries, s_.tcp.retries, n, t)) board.time_out(t);
    }
    report_window(n, before, board.c, t);
    update(n, t);
  }

  /// What events say of a connection's window.
  struct TcpWindow {
    u32 cwnd, ssthresh;
  };
  HEDDLE_FN static TcpWindow window_of(const TcpSender& c) { return {c.cwnd, c.ssthresh}; }

  HEDDLE_FN void report_window(u32 n, const TcpWindow& before, const TcpSender& now, TimePs t) const {
    if (!s_.report_windows || (before.cwnd == now.cwnd && before.ssthresh == now.ssthresh)) return;
    Event event = x_.event(EventKind::tcp_window, t, (u64{now.cwnd} << 32) | now.ssthresh);
    event.detail = n;
    x_.team_emit(event);
  }

  // ---- Timeouts.

  HEDDLE_FN LowTimer& low_timer(u32 n) const { return v_.endpoint.low_timer[first_ + n]; }

  /// Selective repeat: una has advanced by `advance`, which may bring the low timeout nearer.
  HEDDLE_FN void note_progress(u32 n, Sender& q, u32 advance, TimePs t) const {
    LowTimer& timer = low_timer(n);
    timer.on_progress(q, t);
    if (timer.again != timer.until) with_copy([&](SenderSide side) { side.recover(n, q, advance); });
    if (q.una != q.sent_end) bring_bound_nearer(timer.due_ps(q, s_.roce.rto_low_ps));
  }

  /// After an outage: two packets are retransmitted for each that is acknowledged.
  HEDDLE_RARE_FN void recover(u32 n, Sender& q, u32 advance) const {
    LowTimer& timer = low_timer(n);
    if (static_cast<i32>(q.una - timer.again) > 0) timer.again = q.una;
    if (static_cast<i32>(timer.until - timer.again) < 0) timer.again = timer.until;
    for (u32 left = 2 * advance; left != 0 && timer.again != timer.until; --left) {
      repeats_of(v_, first_ + n).put(timer.again++);
      q.repeats = true;
    }
  }

  /// The next packet starts at t, and no packet is in flight that was not rewound.
  HEDDLE_FN void note_first_start(u32 n, Sender& q, TimePs t) const {
    const bool first = q.una == q.sent_end;
    if (first) {
      ++x_.nic().outstanding;
      q.last_progress_ps = t;
      bring_bound_nearer(deadline_ps(t, s_.roce.rto_ps));
    }
    if (!s_.roce.selective()) return;
    if (first) low_timer(n).time(q.next, t);
    bring_bound_nearer(deadline_ps(t, s_.roce.rto_low_ps));
  }

  HEDDLE_FN void bring_bound_nearer(TimePs due_ps) const {
    if (due_ps < x_.nic().rto_bound_ps) x_.nic().rto_bound_ps = due_ps;
  }

  /// The timeout of a sender that awaits an ACK.
  HEDDLE_FN TimePs timeout_due_ps(u32 n, const Sender& q) const {
    if (is_tcp(n)) return with_copy([&](SenderSide side) { return side.tcp_deadline_ps(n); });
    const TimePs due = deadline_ps(q.last_progress_ps, s_.roce.rto_ps);
    if (!s_.roce.selective()) return due;
    const TimePs low = low_timer(n).due_ps(q, s_.roce.rto_low_ps);
    return low < due ? low : due;
  }

  HEDDLE_FN void time_out(u32 n, Sender& q, TimePs t) const {
    if (is_tcp(n)) return with_copy([&](SenderSide side) { side.time_out_tcp(n, t); });
    if (deadline_ps(q.last_progress_ps, s_.roce.rto_ps) > t) {
      low_timer(n).on_low_timeout(q, t);
      repeat(n, q, q.una);
      return update(n, t);
    }
    q.last_progress_ps = t;
    if (s_.roce.selective()) low_timer(n).on_timeout();
    if (x_.try_again(q.tries, s_.roce.rto_tries, n, t)) {
      if (q.repeats) forget_all_repeats(n, q);
      rewind(q);
    }
    update(n, t);
  }

  // ---- Starts.

  HEDDLE_FN Packet data_packet(u32 port, const SenderPlan& plan, u32 psn, u32 wire, bool last) const {
    return make_packet({address_of<Team>(s_, plan.dst, port), plan.receiver_number, x_.address(port), plan.entropy, psn,
                        wire - s_.wire_gap_bytes, plan.traffic_class, PacketKind::data, last});
  }

  HEDDLE_FN void note_served(u32 port, u32 n, Sender& q, u32 psn, u32 wire, TimePs t) const {
    x_.port(port).last_served = n;
    q.last_start_ps = t;
    q.last_wire_bytes = wire;
    if (s_.congestion.any()) q.pace_ps = paced(n).pace_after_start(psn, wire, t);
  }

  HEDDLE_FN PacedSender paced(u32 n) const { return {v_, v_.endpoint.control, x_.nic(), x_.e, n, first_ + n}; }

  HEDDLE_FN void note_start(u32 n, const SenderPlan& plan, Sender& q, const Packet& packet, TimePs t) const {
    if (q.una == q.next) note_first_start(n, q, t);
    if (static_cast<i32>(q.next - q.sent_end) < 0)
      with_copy([&](SenderSide side) { side.note_retransmission(SenderPlan(plan), q.message, Packet(packet), t); });
    if (plan.connection != kNone) return;
    SentMessage& message = v_.endpoint.message.sent[plan.first_message + q.message];
    if (message.start_ps < 0) message.start_ps = t;
  }

  HEDDLE_RARE_FN void note_retransmission(const SenderPlan& plan, u32 message, const Packet& packet, TimePs t) const {
    x_.team_emit(x_.event(EventKind::retransmit, t, packet.id()));
    if (plan.connection == kNone) ++v_.endpoint.message.sent[plan.first_message + message].retransmitted_packets;
  }

  HEDDLE_FN bool can_send(u32 n, Sender& q, const SenderPlan& plan, u32 ports, TimePs t) const {
    if (q.tries == kFailed) return false;
    if (goes_by_tcp<Team>(s_, plan.tcp))
      return with_copy([&](SenderSide side) { return side.can_send_by_now(n, ports, t); });
    if (!q.repeats) {
      if (q.packets == 0 && !load_message(n, q, plan, t)) return false;
      if (q.next - q.una >= s_.roce.window_packets) return false;
    }
    if (!s_.congestion.any()) return true;
    if (!q.repeats && !paced(n).window_is_open(q.next - q.una)) return false;
    const TimePs pace = q.pace_ps;
    if (pace <= t || pace <= first_free_ps(ports)) return true;  // nothing starts before a transmitter is free
    wait(n, q, pace);
    return false;
  }

  /// The ports by which the next packet may be sent at t, a bit for each (MODEL.md, 8.10).
  HEDDLE_FN u32 ports_of(u32 n, const SenderPlan& plan, TimePs t) const {
    if (nic_ports<Team>(s_) == 1) return 1;
    const u32 in = x_.ports_in_service(plan.dst, t);
    const bool any_port = s_.roce.port_choice == PortChoice::per_packet && !goes_by_tcp<Team>(s_, plan.tcp);
    return any_port ? in : 1u << x_.port_of_qp(n, in);
  }

  /// When the first transmitter of these ports is free.
  HEDDLE_FN TimePs first_free_ps(u32 ports) const {
    TimePs first = v_.egress[x_.link + lowest_bit(ports)].free_ps;
    for (u32 left = ports & (ports - 1); left != 0; left &= left - 1) {
      const TimePs free = v_.egress[x_.link + lowest_bit(left)].free_ps;
      first = free < first ? free : first;
    }
    return first;
  }

  /// Makes the message of PSN `next` the current one, if it may be sent by now.
  HEDDLE_FN bool load_message(u32 n, Sender& q, const SenderPlan& plan, TimePs t) const {
    if (plan.connection == kNone) {
      if (q.message >= plan.messages) return false;
      const u32 m = plan.first_message + q.message;
      const TimePs available = available_ps(m);
      if (available > t) {
        if (available == kNever) return false;
        wait(n, q, available);
        return false;
      }
      q.bytes = v_.endpoint.message.bytes[m];
    } else if (!load_slice(q, plan)) {
      return false;
    }
    q.packets = packets_of(payload_of<Team>(s_, plan.tcp), q.bytes);
    return true;
  }

  /// When message `m` becomes available; kNever: it waits for unfinished messages.
  HEDDLE_FN TimePs available_ps(u32 m) const {
    const TimePs available = v_.endpoint.message.available_ps[m];
    if (available != kNever || !s_.messages_wait || v_.endpoint.waits.posted_ps[m] < 0) return available;
    return v_.endpoint.waits.posted_ps[m] + s_.roce.posting_delay_ps;
  }

  HEDDLE_FN bool load_slice(Sender& q, const SenderPlan& plan) const {
    const ConnectionPlan c = x_.connection(plan.connection);
    const SendState& state = v_.collective.send[c.send_end];
    const u32 slice = slice_of(c, q.message, plan.scaling_index);
    if (static_cast<i32>(slice - state.posted) >= 0 || static_cast<i32>(slice - state.granted) >= 0) return false;
    q.bytes = bytes_in_stream(c, state, q.message, plan.scaling_index);
    return true;
  }

  /// Bytes of a message that is not acknowledged in full.
  HEDDLE_FN u64 message_bytes(const SenderPlan& plan, u32 ordinal) const {
    if (plan.connection == kNone) return v_.endpoint.message.bytes[plan.first_message + ordinal];
    const ConnectionPlan c = x_.connection(plan.connection);
    return bytes_in_stream(c, v_.collective.send[c.send_end], ordinal, plan.scaling_index);
  }

  HEDDLE_FN u32 bytes_in_stream(const ConnectionPlan& c, const SendState& state, u32 ordinal, u32 index) const {
    const SliceSchedule& schedule = v_.collective.schedule_of(v_.collective.step[state.step], c);
    return stream_bytes(c, schedule, state.base, ordinal, index);
  }

  /// Messages that end at or before una are acknowledged in full.
  HEDDLE_FN void complete_messages(const SenderPlan& plan, Sender& q, TimePs t) const {
    while (q.una != q.una_begin) {
      const u32 packets = packets_of(payload_of<Team>(s_, plan.tcp), message_bytes(plan, q.una_message));
      if (q.una - q.una_begin < packets) break;
      message_acked(plan, q.una_message, t);
      q.una_begin += packets;
      ++q.una_message;
    }
  }

  HEDDLE_FN void message_acked(const SenderPlan& plan, u32 ordinal, TimePs t) const {
    if (plan.connection == kNone) {
      const u32 m = plan.first_message + ordinal;
      v_.endpoint.message.sent[m].acked_ps = t;
      x_.team_emit(x_.event(EventKind::message_acked, t, m));
      x_.team.add(x_.team.tally().messages_acked, u64{1});
      x_.completed(t);
      if (s_.messages_wait) message_done(m, false, t);
      return;
    }
    const ConnectionPlan c = x_.connection(plan.connection);
    const u32 slice = slice_of(c, ordinal, plan.scaling_index);
    u8& left = v_.collective.send[c.send_end].parts_left[slice % kMaxSlots];
    if (--left == 0) x_.later(ProxyTask::slice_acked, plan.connection, slice, t);
  }

  HEDDLE_FN static void rewind(Sender& q) {
    q.next = q.una;
    q.message = q.una_message;
    q.begin = q.una_begin;
    q.packets = 0;
  }

  HEDDLE_FN void wait(u32 n, Sender& q, TimePs due) const {
    if (!q.timed) {
      q.timed = true;
      q.timer_ps = due;
      push_timer(v_.endpoint.timers + first_, x_.nic(), {due, n});
    } else if (due < q.timer_ps) {  // an entry that fires too early is only looked at again
      q.timer_ps = due;
      hasten_timer(v_.endpoint.timers + first_, x_.nic(), {due, n});
    }
  }

  /// The senders of a class that may send at a port, a bit for each.
  HEDDLE_FN u64* ready_set(u32 port, u32 c) const {
    return ready_ + (port * (classes_of<Team>(s_) - 1) + c - 1) * words_;
  }

  /// `ports`: those at which the sender may send now, a bit for each.
  HEDDLE_FN void set_ready(u32 n, u32 c, Sender& q, u32 ports) const {
    u32 changed = q.ready ^ ports;
    if (changed == 0) return;
    q.ready = static_cast<u8>(ports);
    if (nic_ports<Team>(s_) == 1) return change_ready(n, c, 0, ports != 0);
    for (; changed != 0; changed &= changed - 1) {
      const u32 port = lowest_bit(changed);
      change_ready(n, c, port, ((ports >> port) & 1) != 0);
    }
  }

  HEDDLE_FN void change_ready(u32 n, u32 c, u32 port, bool ready) const {
    ready_set(port, c)[n / 64] ^= u64{1} << (n % 64);
    NicPort& at = x_.port(port);
    at.ready[c] += ready ? 1u : ~0u;
    at.ready_classes = at.ready[c] != 0 ? at.ready_classes | (1u << c) : at.ready_classes & ~(1u << c);
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Settings& s_;
  const u32 first_, count_;
  u64* ready_;
  const u32 words_;
};

}  // namespace heddle
