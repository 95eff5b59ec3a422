// A port of a NIC in a pass of its endpoint: the packets that arrive by it, and its transmitter (MODEL.md, 5 and 8.1).
#pragma once

#include "kernels/fabric/link_changes.hpp"
#include "kernels/fabric/lost_packets.hpp"
#include "kernels/fabric/service.hpp"
#include "kernels/state/broken_phase.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

/// Holds pointers to what the caller owns: a GPU's compiler keeps separate objects in registers, but not objects with
/// references to themselves or arrays indexed by a variable.
template <class Team>
class PortPass {
 public:
  HEDDLE_FN PortPass() = default;
  /// `arrival_ps`: [classes] for the use of this object.
  HEDDLE_FN PortPass(const NicContext<Team>& context, const SenderSide<Team>& senders, u32 number, TimePs* arrival_ps)
      : x_(&context),
        v_(&context.v),
        s_(&context.v.settings),
        senders_(&senders),
        egress_(context.v.egress + context.link + number),
        port_(&context.port(number)),
        arrival_ps_(arrival_ps),
        number_(number),
        link_(context.link + number),
        in_(egress_->reverse * classes_of<Team>(context.v.settings)) {}

  HEDDLE_FN void begin() {
    u32 control_classes = 0;
    for (u32 c = 0; c < classes_of<Team>(s()); ++c) {
      load_arrival(c);
      const Queue& queue = v().queue[link_ * classes_of<Team>(s()) + c];
      if (queue.sent != queue.tail) control_classes |= 1u << c;
      if (pfc_index_of<Team>(s(), c) != kNone && !pauses(c).idle()) pausable_ |= 1u << c;
    }
    port().control_classes = control_classes;
  }

  /// A stretch of the pass without changes of the link begins, up to `to`.
  HEDDLE_FN void begin_stretch(TimePs to) {
    watches_starts_ = s().report_departures || (links_fail<Team>(s()) && may_lose(v(), link_, to));
  }

  HEDDLE_FN TimePs next_arrival_ps() const { return next_arrival_ps_; }

  /// Takes the packet that arrives next.
  HEDDLE_FN Packet take_arrival() {
    const u32 c = next_arrival_class_;
    u32& head = v().head[x_->parity ^ 1][in_ + c];
    const Packet packet = v().pool.packet[v().published[x_->parity][in_ + c].ring.at(head)];
    ++head;
    x_->nic().published = true;
    load_arrival(c);
    return packet;
  }

  HEDDLE_FN TimePs next_change_ps() const { return heddle::next_change_ps(v(), link_); }

  /// Takes the change of the link at t.
  HEDDLE_FN void change_link(TimePs t) {
    if (take_change(Team(x_->team), v(), link_, t)) forget_pauses(v(), link_, t, x_->parity);
  }
  HEDDLE_FN void note_down() { down_ = is_down(v(), link_); }

  /// The next start of the transmitter from `now` on in the current state, if it is before `to`; `to` otherwise.
  HEDDLE_FN TimePs next_start_ps(TimePs now, TimePs to) {
    TimePs start = to;
    eligible_ = 0;
    const u32 classes = classes_with_work();
    if (classes == 0) return to;
    const TimePs earliest = egress().free_ps > now ? egress().free_ps : now;
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

  /// Builds with HEDDLE_CHECK: checks that starts are in order of time and find the transmitter free.
  HEDDLE_FN void check_start(TimePs from, TimePs now, TimePs start) const {
    const u32 node = v().switches + x_->e;
    if (start < now) report_broken(v(), PhaseRule::clock_forward, node, from, start, now);
    if (start < egress().free_ps) report_broken(v(), PhaseRule::start_in_order, node, from, start, egress().free_ps);
  }

  /// Starts a packet at t, which next_start_ps has returned.
  HEDDLE_FN void transmit(TimePs t) {
    u32 sender = kNone, frame_bytes = 0;
    u32 c = lowest_bit(eligible_);
    if ((eligible_ & (eligible_ - 1)) != 0) {
      c = choose_class<Team>(s(), v().drr + link_, eligible_, [&](u32 k) { return head_frame_bytes(k, sender); });
      frame_bytes = head_frame_bytes(c, sender);
    } else if (c != 0) {
      frame_bytes = head_frame_bytes(c, sender);
      if (has_weights<Team>(s()) && !((s().strict_mask >> c) & 1)) serve_only(s(), v().drr[link_], c, frame_bytes);
    }
    const bool data = sender != kNone;
    if (data) senders_->send(number_, sender, frame_bytes + kWireGapBytes, t);
    Queue& queue = v().queue[link_ * classes_of<Team>(s()) + c];
    const u32 entry = queue.ring.at(queue.sent++);
    const Packet packet = v().pool.packet[entry];
    egress().free_ps = t + ser_ps(packet.wire_bytes(), egress().ps_per_byte_q16);
    const TimePs arrival = egress().free_ps + egress().lambda_ps;
    v().pool.time_ps[entry] = arrival;
    bool lost = false;
    if (watches_starts_) lost = watch_start(NicContext<Team>(*x_), link_, entry, t, arrival);
    if (lost) {
      take_off_wire(v(), queue);
    } else if (arrival < first_arrival_ps_) {
      first_arrival_ps_ = arrival;
    }
    if (data) {
      senders_->update(sender, t);
    } else if (queue.sent == queue.tail) {
      port().control_classes &= ~(1u << c);
    }
    sent_wire_bytes_ += packet.wire_bytes();
    ++sent_packets_;
  }

  HEDDLE_FN void finish(TimePs to) {
    for (u32 left = pausable_; left != 0; left &= left - 1) pauses(lowest_bit(left)).consume_up_to(to - 1);
    if (sent_packets_ != 0) x_->nic().published = true;
  }

  /// Publishes what was sent to the other end of the cable. `all`: the NIC has published something.
  HEDDLE_FN void publish(bool all) const {
    for (u32 c = 0; all && c < classes_of<Team>(s()); ++c) {
      const u32 q = link_ * classes_of<Team>(s()) + c;
      const Queue& queue = v().queue[q];
      v().published[x_->parity ^ 1][q] = Published{queue.ring, queue.sent};
    }
    if (sent_packets_ == 0) return;
    v().link_tally[link_].sent_wire_bytes += sent_wire_bytes_;
    v().link_tally[link_].sent_packets += sent_packets_;
    x_->team.add(x_->team.tally().packet_hops, u64{sent_packets_});
    // kNever: all were lost
    wake(v(), egress().dst_node, egress().dst_port, x_->parity ^ 1, first_arrival_ps_);
  }

  /// The next event of the transmitter or of its pauses in the current state.
  HEDDLE_FN TimePs next_ps() {
    TimePs next = kNever;
    for (u32 left = classes_with_work() | pausable_; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      bool open = (classes_with_work() >> c) & 1;
      if ((pausable_ >> c) & 1) {
        const PauseTimeline timeline = pauses(c);
        if (timeline.next_change_ps() < next) next = timeline.next_change_ps();
        open = open && !timeline.paused();
      }
      if (open && egress().free_ps < next) next = egress().free_ps;
    }
    return next;
  }

 private:
  HEDDLE_FN const View& v() const { return *v_; }
  HEDDLE_FN const Settings& s() const { return *s_; }
  HEDDLE_FN Egress& egress() const { return *egress_; }
  HEDDLE_FN NicPort& port() const { return *port_; }

  HEDDLE_FN PauseTimeline pauses(u32 c) const { return {v(), link_, pfc_index_of<Team>(s(), c), x_->parity}; }

  HEDDLE_FN void load_arrival(u32 c) {
    const Published& p = v().published[x_->parity][in_ + c];
    const u32 head = v().head[x_->parity ^ 1][in_ + c];
    arrival_ps_[c] = head == p.sent ? kNever : v().pool.time_ps[p.ring.at(head)];
    next_arrival_ps_ = arrival_ps_[0];
    next_arrival_class_ = 0;
    for (u32 k = 1; k < classes_of<Team>(s()); ++k) {
      if (arrival_ps_[k] >= next_arrival_ps_) continue;
      next_arrival_ps_ = arrival_ps_[k];
      next_arrival_class_ = k;
    }
  }

  /// Classes with packets to send in the current state: control packets in a FIFO, ready senders.
  HEDDLE_FN u32 classes_with_work() const { return down_ ? 0 : port().ready_classes | port().control_classes; }

  /// Frame bytes of the packet that class `c` would send: control before data, which is made at its start and never
  /// waits. `sender` is that of data, else kNone.
  HEDDLE_FN u32 head_frame_bytes(u32 c, u32& sender) {
    sender = kNone;
    if (((port().control_classes >> c) & 1) != 0) {
      const Queue& queue = v().queue[link_ * classes_of<Team>(s()) + c];
      return v().pool.packet[queue.ring.at(queue.sent)].frame_bytes();
    }
    sender = senders_->pick(number_, c);
    return senders_->next_wire_bytes(sender) - kWireGapBytes;
  }

  /// Reports a start if departures are reported; where links fail, returns whether the packet gets lost.
  HEDDLE_RARE_FN static bool watch_start(const NicContext<Team>& x, u32 link, u32 entry, TimePs t, TimePs arrival) {
    if (x.settings().report_departures)
      x.team_emit(packet_event(x.v, EventKind::depart, link, x.v.pool.packet[entry], t));
    return links_fail<Team>(x.settings()) && lose_packet(x.team, x.v, link, entry, t, arrival);
  }

  const NicContext<Team>* x_ = nullptr;
  const View* v_ = nullptr;
  const Settings* s_ = nullptr;
  const SenderSide<Team>* senders_ = nullptr;
  Egress* egress_ = nullptr;
  NicPort* port_ = nullptr;
  TimePs* arrival_ps_ = nullptr;  // [classes]
  u32 number_ = 0, link_ = 0;
  u32 in_ = 0;  // index of class 0 of the link that arrives at this port
  TimePs next_arrival_ps_ = kNever;
  u32 next_arrival_class_ = 0;
  TimePs first_arrival_ps_ = kNever;  // first arrival, at the switch, of packets sent in this tick
  u32 eligible_ = 0;                  // classes that may start at the instant that next_start_ps returned
  u32 pausable_ = 0;                  // classes that are paused or have pause changes coming
  u32 sent_packets_ = 0;
  u64 sent_wire_bytes_ = 0;
  bool down_ = false;
  bool watches_starts_ = false;
};

/// When the next packet of each class arrives at each port, for the use of NicPorts.
template <class Team>
struct PortArrivals {
  TimePs ps[Team::kPlain ? 1 : kMaxNicPorts][Team::kPlain ? kPlainClasses : kMaxClasses] = {};
};

/// All ports of a NIC in a pass.
template <class Team, bool kOne = Team::kPlain>
class NicPorts {
 public:
  HEDDLE_FN NicPorts(const NicContext<Team>& context, const SenderSide<Team>& senders, PortArrivals<Team>& arrivals)
      : count_(context.ports()) {
    for (u32 p = 0; p < count_; ++p) port_[p] = PortPass<Team>(context, senders, p, arrivals.ps[p]);
  }

  /// Calls f(port) for each, in order of number.
  template <class F>
  HEDDLE_FN void each(const F& f) {
    for (u32 p = 0; p < count_; ++p) f(port_[p]);
  }

  HEDDLE_FN TimePs next_arrival_ps() const {
    TimePs next = port_[0].next_arrival_ps();
    for (u32 p = 1; p < count_; ++p) next = port_[p].next_arrival_ps() < next ? port_[p].next_arrival_ps() : next;
    return next;
  }

  /// The next start of any port, if it is before `to`; `to` otherwise. Of ports that may start at once, the first does.
  HEDDLE_FN TimePs next_start_ps(TimePs now, TimePs to) {
    starting_ = 0;
    TimePs start = port_[0].next_start_ps(now, to);
    for (u32 p = 1; p < count_; ++p) {
      const TimePs at = port_[p].next_start_ps(now, to);
      if (at >= start) continue;
      start = at;
      starting_ = p;
    }
    return start;
  }
  /// The port of the start that next_start_ps has returned.
  HEDDLE_FN PortPass<Team>& starting() { return port_[starting_]; }

 private:
  const u32 count_;
  u32 starting_ = 0;
  PortPass<Team> port_[kMaxNicPorts];
};

/// The only one, in plain runs.
template <class Team>
class NicPorts<Team, true> {
 public:
  HEDDLE_FN NicPorts(const NicContext<Team>& context, const SenderSide<Team>& senders, PortArrivals<Team>& arrivals)
      : port_(context, senders, 0, arrivals.ps[0]) {}

  template <class F>
  HEDDLE_FN void each(const F& f) {
    f(port_);
  }
  HEDDLE_FN TimePs next_arrival_ps() const { return port_.next_arrival_ps(); }
  HEDDLE_FN TimePs next_start_ps(TimePs now, TimePs to) { return port_.next_start_ps(now, to); }
  HEDDLE_FN PortPass<Team>& starting() { return port_; }

 private:
  PortPass<Team> port_;
};

}  // namespace heddle
