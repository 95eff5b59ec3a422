// The pass of EndpointPass for plain runs (state/plain.hpp), which are most: one port, no failures, no slow NICs. A
// GPU's compiler keeps all of it in registers, and the state where it is (tests/gpu/budget); not so where ports are
// objects.
#pragma once

#include "kernels/base/check.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/service.hpp"
#include "kernels/state/broken_phase.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/tick/later_stages.hpp"
#include "kernels/transport/receiver.hpp"

namespace heddle {

/// The caller owns the parts and `arrival_ps` of the classes: a GPU's compiler keeps separate objects in registers, but
/// not objects with references to themselves or arrays indexed by a variable.
template <class Team>
class PlainPass {
 public:
  HEDDLE_FN PlainPass(const NicContext<Team>& context, const SenderSide<Team>& senders,
                      const ReceiverSide<Team>& receivers, CollectiveScheduler<Team>& scheduler, TimePs* arrival_ps)
      : context_(context),
        v_(context.v),
        s_(context.v.settings),
        senders_(senders),
        receivers_(receivers),
        scheduler_(scheduler),
        egress_(v_.egress[context.link]),
        in_(egress_.reverse * classes_of<Team>(s_)),
        arrival_ps_(arrival_ps) {}

  /// Simulates [from, to) and writes the next event to View::next_ps. Returns whether anything happened.
  HEDDLE_FN bool run(TimePs from, TimePs to) {
    begin(from);
    live(from, to);
    finish(to);
    return busy_;
  }

 private:
  HEDDLE_FN void live(TimePs from, TimePs to) {
    TimePs stage = next_stage_ps();
    for (bool more = true; in_step(more);) {
      if (!more) continue;  // other lanes of the warp continue
      const TimePs start = next_start_ps(stage < to ? stage : to);
      more = (stage <= start ? stage : start) < to;
      if (!more) continue;
      if (stage <= start) {
        if (kChecked && stage < from) report_broken(v_, PhaseRule::clock_forward, node(), from, stage, from);
        now_ = stage > now_ ? stage : now_;
        stage = live_through(now_);
        busy_ = true;
      } else {
        if (kChecked) check_start(from, start);
        now_ = start;
        transmit(start);
        const TimePs due = senders_.next_due_ps();  // a start can bring forward nothing else
        stage = due < stage ? due : stage;
      }
    }
  }

  /// Whether any lane of the warp continues.
  HEDDLE_FN bool in_step(bool more) const { return context_.team.any(more); }

  HEDDLE_FN PauseTimeline pauses(u32 c) const {
    return {v_, context_.link, pfc_index_of<Team>(s_, c), context_.parity};
  }

  HEDDLE_FN u32 node() const { return v_.switches + context_.e; }

  /// Builds with HEDDLE_CHECK: checks that starts are in order of time and find the transmitter free.
  HEDDLE_FN void check_start(TimePs from, TimePs start) const {
    if (start < now_) report_broken(v_, PhaseRule::clock_forward, node(), from, start, now_);
    if (start < egress_.free_ps) report_broken(v_, PhaseRule::start_in_order, node(), from, start, egress_.free_ps);
  }

  HEDDLE_FN void begin(TimePs from) {
    now_ = from;
    u32 control_classes = 0;
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      load_arrival(c);
      const Queue& queue = v_.queue[context_.link * classes_of<Team>(s_) + c];
      if (queue.sent != queue.tail) control_classes |= 1u << c;
      if (pfc_index_of<Team>(s_, c) != kNone && !pauses(c).idle()) pausable_ |= 1u << c;
    }
    context_.port(0).control_classes = control_classes;
  }

  HEDDLE_FN void load_arrival(u32 c) {
    const Published& p = v_.published[context_.parity][in_ + c];
    const u32 head = v_.head[context_.parity ^ 1][in_ + c];
    arrival_ps_[c] = head == p.sent ? kNever : v_.pool.time_ps[p.ring.at(head)];
    next_arrival_ps_ = arrival_ps_[0];
    next_arrival_class_ = 0;
    for (u32 k = 1; k < classes_of<Team>(s_); ++k) {
      if (arrival_ps_[k] >= next_arrival_ps_) continue;
      next_arrival_ps_ = arrival_ps_[k];
      next_arrival_class_ = k;
    }
  }

  /// The next time at which a stage before the egress has work.
  HEDDLE_FN TimePs next_stage_ps() const {
    TimePs next = next_arrival_ps_;
    const auto consider = [&](TimePs t) { next = t < next ? t : next; };
    consider(senders_.next_due_ps());
    consider(scheduler_.next_due_ps());
    return next;
  }

  /// Runs all stages at t except the egress, in rounds. Returns when a stage has work again.
  HEDDLE_FN TimePs live_through(TimePs t) {
    for (;;) {
      while (next_arrival_ps_ <= t) receive(next_arrival_class_, t);
      run_later_stages(t, senders_, receivers_, scheduler_);
      const TimePs next = next_stage_ps();
      if (next > t) return next;
    }
  }

  HEDDLE_FN void receive(u32 c, TimePs t) {
    u32& head = v_.head[context_.parity ^ 1][in_ + c];
    const Packet packet = v_.pool.packet[v_.published[context_.parity][in_ + c].ring.at(head)];
    ++head;
    context_.nic().published = true;
    load_arrival(c);
    if (packet.kind() != PacketKind::data) return take_control_packet(packet, t, senders_, scheduler_);
    receivers_.on_data(packet, t);
  }

  /// The next start of the transmitter in the current state, if it is before `to`; `to` otherwise. Fills eligible_.
  HEDDLE_FN TimePs next_start_ps(TimePs to) {
    TimePs start = to;
    eligible_ = 0;
    const u32 classes = classes_with_work();
    if (classes == 0) return to;
    const TimePs earliest = egress_.free_ps > now_ ? egress_.free_ps : now_;
    if (earliest >= to) return to;
    for (u32 left = classes; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      TimePs at = earliest;  // control packets were created, data became ready, by now
      if ((pausable_ >> c) & 1) at = pauses(c).allowed_from(at, to);
      if (at < start) {
        start = at;
        eligible_ = 1u << c;
      } else if (at == start && at < to) {
        eligible_ |= 1u << c;
      }
    }
    return start;
  }

  /// Whether a control packet waits in this class; data packets are made at their start and never wait.
  HEDDLE_FN bool control_waits(u32 c) const { return ((context_.port(0).control_classes >> c) & 1) != 0; }

  /// Classes with packets to send in the current state: control packets in a FIFO, ready senders.
  HEDDLE_FN u32 classes_with_work() const { return context_.port(0).ready_classes | context_.port(0).control_classes; }

  /// Frame bytes of the packet that class `c` would send: control before data. `sender` is that of data, else kNone.
  HEDDLE_FN u32 head_frame_bytes(u32 c, u32& sender) {
    sender = kNone;
    if (control_waits(c)) {
      const Queue& queue = v_.queue[context_.link * classes_of<Team>(s_) + c];
      return v_.pool.packet[queue.ring.at(queue.sent)].frame_bytes();
    }
    sender = senders_.pick(0, c);
    return senders_.next_wire_bytes(sender) - s_.wire_gap_bytes;
  }

  HEDDLE_FN void transmit(TimePs t) {
    u32 sender = kNone, frame_bytes = 0;
    u32 c = lowest_bit(eligible_);
    if ((eligible_ & (eligible_ - 1)) != 0) {
      c = choose_class<Team>(s_, v_.drr + context_.link, eligible_, [&](u32 k) { return head_frame_bytes(k, sender); });
      frame_bytes = head_frame_bytes(c, sender);
    } else if (c != 0) {
      frame_bytes = head_frame_bytes(c, sender);
      if (has_weights<Team>(s_) && !((s_.strict_mask >> c) & 1)) serve_only(s_, v_.drr[context_.link], c, frame_bytes);
    }
    const bool data = sender != kNone;
    if (data) senders_.send(0, sender, frame_bytes + s_.wire_gap_bytes, t);
    Queue& queue = v_.queue[context_.link * classes_of<Team>(s_) + c];
    const u32 entry = queue.ring.at(queue.sent++);
    const Packet packet = v_.pool.packet[entry];
    egress_.free_ps = t + ser_ps(packet.wire_bytes(s_.wire_gap_bytes), egress_.ps_per_byte_q16);
    const TimePs arrival = egress_.free_ps + egress_.lambda_ps;
    v_.pool.time_ps[entry] = arrival;
    if (s_.report_departures) report_start(NicContext<Team>(context_), entry, t);
    if (arrival < first_arrival_ps_) first_arrival_ps_ = arrival;
    if (data) {
      senders_.update(sender, t);
    } else if (queue.sent == queue.tail) {
      context_.port(0).control_classes &= ~(1u << c);
    }
    sent_wire_bytes_ += packet.wire_bytes(s_.wire_gap_bytes);
    ++sent_packets_;
    busy_ = true;
  }

  HEDDLE_RARE_FN static void report_start(const NicContext<Team>& x, u32 entry, TimePs t) {
    x.team_emit(packet_event(x.v, EventKind::depart, x.link, x.v.pool.packet[entry], t));
  }

  HEDDLE_FN void finish(TimePs to) {
    for (u32 left = pausable_; left != 0; left &= left - 1) pauses(lowest_bit(left)).consume_up_to(to - 1);
    v_.next_ps[v_.switches + context_.e] = next_ps(to);
    if (!busy_) return;
    if (sent_packets_ != 0) context_.nic().published = true;
    if (context_.nic().published) publish();
    if (sent_packets_ != 0) {
      v_.link_tally[context_.link].sent_wire_bytes += sent_wire_bytes_;
      v_.link_tally[context_.link].sent_packets += sent_packets_;
      context_.team.add(context_.team.tally().packet_hops, u64{sent_packets_});
      wake(v_, egress_.dst_node, egress_.dst_port, context_.parity ^ 1, first_arrival_ps_);
    }
    wake(v_, node(), 0, context_.parity ^ 1, kWakeMarker);
  }

  /// Publishes the packets sent to the other end of the cable.
  HEDDLE_FN void publish() const {
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      const u32 q = context_.link * classes_of<Team>(s_) + c;
      const Queue& queue = v_.queue[q];
      v_.published[context_.parity ^ 1][q] = Published{queue.ring, queue.sent};
    }
  }

  /// The next event at or after `to` in the current state.
  HEDDLE_FN TimePs next_ps(TimePs to) {
    TimePs next = next_stage_ps();
    for (u32 left = classes_with_work() | pausable_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      bool open = (classes_with_work() >> c) & 1;
      if ((pausable_ >> c) & 1) {
        const PauseTimeline timeline = pauses(c);
        if (timeline.next_change_ps() < next) next = timeline.next_change_ps();
        open = open && !timeline.paused();
      }
      if (open && egress_.free_ps < next) next = egress_.free_ps;
    }
    return next < to ? to : next;
  }

  const NicContext<Team>& context_;
  const View& v_;
  const Settings& s_;
  const SenderSide<Team>& senders_;
  const ReceiverSide<Team>& receivers_;
  CollectiveScheduler<Team>& scheduler_;
  Egress& egress_;
  const u32 in_;
  TimePs* const arrival_ps_;  // [classes]
  TimePs next_arrival_ps_ = kNever;
  u32 next_arrival_class_ = 0;
  TimePs first_arrival_ps_ = kNever;  // first arrival, at the switch, of packets sent in this tick
  TimePs now_ = 0;
  u32 eligible_ = 0;
  u32 pausable_ = 0;  // classes that are paused or have pause changes coming
  u32 sent_packets_ = 0;
  u64 sent_wire_bytes_ = 0;
  bool busy_ = false;
};

}  // namespace heddle
