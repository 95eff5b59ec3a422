// A port of a NIC in a pass of its endpoint: the packets that arrive by it, and its transmitter (MODEL.md, 5 and 8.1).
#pragma once

#include "kernels/fabric/link_changes.hpp"
#include "kernels/fabric/lost_packets.hpp"
#include "kernels/fabric/service.hpp"
#include "kernels/state/broken_phase.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

/// What a port knows during a pass.
struct PortState {
  u32 number = 0, link = 0;
  u32 in = 0;  // index of class 0 of the link that arrives at this port
  u32 next_arrival_class = 0;
  TimePs next_arrival_ps = kNever;
  TimePs first_arrival_ps = kNever;  // first arrival, at the switch, of packets sent in this tick
  u32 eligible = 0;                  // classes that may start at the instant that next_start_ps returned
  u32 pausable = 0;                  // classes that are paused or have pause changes coming
  u32 sent_packets = 0;
  bool down = false;
  bool watches_starts = false;
  u64 sent_wire_bytes = 0;
};

/// A port of the NIC, made for each use.
template <class Team>
class PortPass {
 public:
  /// `arrival_ps`: [classes] for the use of this port.
  HEDDLE_FN PortPass(const NicContext<Team>& context, const SenderSide<Team>& senders, PortState& state,
                     TimePs* arrival_ps)
      : x_(context), v_(context.v), s_(context.v.settings), senders_(senders), p_(state), arrival_ps_(arrival_ps) {}

  HEDDLE_FN void set_up(u32 number) {
    p_.number = number;
    p_.link = x_.link + number;
    p_.in = egress().reverse * classes_of<Team>(s_);
  }

  HEDDLE_FN void begin() {
    u32 control_classes = 0;
    for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
      load_arrival(c);
      const Queue& queue = v_.queue[link() * classes_of<Team>(s_) + c];
      if (queue.sent != queue.tail) control_classes |= 1u << c;
      if (pfc_index_of<Team>(s_, c) != kNone && !pauses(c).idle()) p_.pausable |= 1u << c;
    }
    port().control_classes = control_classes;
  }

  /// A stretch of the pass without changes of the link begins, up to `to`.
  HEDDLE_FN void begin_stretch(TimePs to) {
    p_.watches_starts = s_.report_departures || (links_fail<Team>(s_) && may_lose(v_, link(), to));
  }

  HEDDLE_FN TimePs next_arrival_ps() const { return p_.next_arrival_ps; }

  /// Takes the packet that arrives next.
  HEDDLE_FN Packet take_arrival() {
    const u32 c = p_.next_arrival_class;
    u32& head = v_.head[x_.parity ^ 1][p_.in + c];
    const Packet packet = v_.pool.packet[v_.published[x_.parity][p_.in + c].ring.at(head)];
    ++head;
    x_.nic().published = true;
    load_arrival(c);
    return packet;
  }

  HEDDLE_FN TimePs next_change_ps() const { return heddle::next_change_ps(v_, link()); }

  /// Takes the change of the link at t.
  HEDDLE_FN void change_link(TimePs t) {
    if (take_change(Team(x_.team), v_, link(), t)) forget_pauses(v_, link(), t, x_.parity);
  }
  HEDDLE_FN void note_down() { p_.down = is_down(v_, link()); }

  /// The next start of the transmitter from `now` on in the current state, if it is before `to`; `to` otherwise.
  HEDDLE_FN TimePs next_start_ps(TimePs now, TimePs to) {
    TimePs start = to;
    p_.eligible = 0;
    const u32 classes = classes_with_work();
    if (classes == 0) return to;
    const TimePs earliest = egress().free_ps > now ? egress().free_ps : now;
    if (earliest >= to) return to;
    for (u32 left = classes; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      TimePs at = earliest;  // control packets were created, data became ready, by now
      if ((p_.pausable >> c) & 1) at = pauses(c).allowed_from(at, to);
      if (at < start) {
        start = at;
        p_.eligible = 1u << c;
      } else if (at == start && at < to) {
        p_.eligible |= 1u << c;
      }
    }
    return start;
  }

  /// Builds with HEDDLE_CHECK: checks that starts are in order of time and find the transmitter free.
  HEDDLE_FN void check_start(TimePs from, TimePs now, TimePs start) const {
    const u32 node = v_.switches + x_.e;
    if (start < now) report_broken(v_, PhaseRule::clock_forward, node, from, start, now);
    if (start < egress().free_ps) report_broken(v_, PhaseRule::start_in_order, node, from, start, egress().free_ps);
  }

  /// Starts a packet at t, which next_start_ps has returned.
  HEDDLE_FN void transmit(TimePs t) {
    u32 sender = kNone, frame_bytes = 0;
    u32 c = lowest_bit(p_.eligible);
    if ((p_.eligible & (p_.eligible - 1)) != 0) {
      c = choose_class<Team>(s_, v_.drr + link(), p_.eligible, [&](u32 k) { return head_frame_bytes(k, sender); });
      frame_bytes = head_frame_bytes(c, sender);
    } else if (c != 0) {
      frame_bytes = head_frame_bytes(c, sender);
      if (has_weights<Team>(s_) && !((s_.strict_mask >> c) & 1)) serve_only(s_, v_.drr[link()], c, frame_bytes);
    }
    const bool data = sender != kNone;
    if (data) senders_.send(number(), sender, frame_bytes + s_.wire_gap_bytes, t);
    Queue& queue = v_.queue[link() * classes_of<Team>(s_) + c];
    const u32 entry = queue.ring.at(queue.sent++);
    const Packet packet = v_.pool.packet[entry];
    egress().free_ps = t + ser_ps(packet.wire_bytes(s_.wire_gap_bytes), egress().ps_per_byte_q16);
    const TimePs arrival = egress().free_ps + egress().lambda_ps;
    v_.pool.time_ps[entry] = arrival;
    bool lost = false;
    if (p_.watches_starts) lost = watch_start(NicContext<Team>(x_), link(), entry, t, arrival);
    if (lost) {
      take_off_wire(v_, queue);
    } else if (arrival < p_.first_arrival_ps) {
      p_.first_arrival_ps = arrival;
    }
    if (data) {
      senders_.update(sender, t);
    } else if (queue.sent == queue.tail) {
      port().control_classes &= ~(1u << c);
    }
    p_.sent_wire_bytes += packet.wire_bytes(s_.wire_gap_bytes);
    ++p_.sent_packets;
  }

  HEDDLE_FN void finish(TimePs to) {
    for (u32 left = p_.pausable; left != 0; left &= left - 1) pauses(lowest_bit(left)).consume_up_to(to - 1);
    if (p_.sent_packets != 0) x_.nic().published = true;
  }

  /// Publishes what was sent to the other end of the cable. `all`: the NIC has published something.
  HEDDLE_FN void publish(bool all) const {
    for (u32 c = 0; all && c < classes_of<Team>(s_); ++c) {
      const u32 q = link() * classes_of<Team>(s_) + c;
      const Queue& queue = v_.queue[q];
      v_.published[x_.parity ^ 1][q] = Published{queue.ring, queue.sent};
    }
    if (p_.sent_packets == 0) return;
    v_.link_tally[link()].sent_wire_bytes += p_.sent_wire_bytes;
    v_.link_tally[link()].sent_packets += p_.sent_packets;
    x_.team.add(x_.team.tally().packet_hops, u64{p_.sent_packets});
    // kNever: all were lost
    wake(v_, egress().dst_node, egress().dst_port, x_.parity ^ 1, p_.first_arrival_ps);
  }

  /// The next event of the transmitter or of its pauses in the current state.
  HEDDLE_FN TimePs next_ps() {
    TimePs next = kNever;
    for (u32 left = classes_with_work() | p_.pausable; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      bool open = (classes_with_work() >> c) & 1;
      if ((p_.pausable >> c) & 1) {
        const PauseTimeline timeline = pauses(c);
        if (timeline.next_change_ps() < next) next = timeline.next_change_ps();
        open = open && !timeline.paused();
      }
      if (open && egress().free_ps < next) next = egress().free_ps;
    }
    return next;
  }

 private:
  HEDDLE_FN u32 number() const { return p_.number; }
  HEDDLE_FN u32 link() const { return p_.link; }
  HEDDLE_FN Egress& egress() const { return v_.egress[link()]; }
  HEDDLE_FN NicPort& port() const { return x_.port(number()); }

  HEDDLE_FN PauseTimeline pauses(u32 c) const { return {v_, link(), pfc_index_of<Team>(s_, c), x_.parity}; }

  HEDDLE_FN void load_arrival(u32 c) {
    const Published& p = v_.published[x_.parity][p_.in + c];
    const u32 head = v_.head[x_.parity ^ 1][p_.in + c];
    arrival_ps_[c] = head == p.sent ? kNever : v_.pool.time_ps[p.ring.at(head)];
    p_.next_arrival_ps = arrival_ps_[0];
    p_.next_arrival_class = 0;
    for (u32 k = 1; k < classes_of<Team>(s_); ++k) {
      if (arrival_ps_[k] >= p_.next_arrival_ps) continue;
      p_.next_arrival_ps = arrival_ps_[k];
      p_.next_arrival_class = k;
    }
  }

  /// Classes with packets to send in the current state: control packets in a FIFO, ready senders.
  HEDDLE_FN u32 classes_with_work() const { return p_.down ? 0 : port().ready_classes | port().control_classes; }

  /// Frame bytes of the packet that class `c` would send: control before data, which is made at its start and never
  /// waits. `sender` is that of data, else kNone.
  HEDDLE_FN u32 head_frame_bytes(u32 c, u32& sender) {
    sender = kNone;
    if (((port().control_classes >> c) & 1) != 0) {
      const Queue& queue = v_.queue[link() * classes_of<Team>(s_) + c];
      return v_.pool.packet[queue.ring.at(queue.sent)].frame_bytes();
    }
    sender = senders_.pick(number(), c);
    return senders_.next_wire_bytes(sender) - s_.wire_gap_bytes;
  }

  /// Reports a start if departures are reported; where links fail, returns whether the packet gets lost.
  HEDDLE_RARE_FN static bool watch_start(const NicContext<Team>& x, u32 link, u32 entry, TimePs t, TimePs arrival) {
    if (x.settings().report_departures)
      x.team_emit(packet_event(x.v, EventKind::depart, link, x.v.pool.packet[entry], t));
    return links_fail<Team>(x.settings()) && lose_packet(x.team, x.v, link, entry, t, arrival);
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Settings& s_;
  const SenderSide<Team>& senders_;
  PortState& p_;
  TimePs* const arrival_ps_;  // [classes]
};

/// When the next packet of each class arrives at each port. The caller of a pass owns it, because it is indexed by
/// class.
struct PortArrivals {
  TimePs ps[kMaxNicPorts][kMaxClasses] = {};
};

}  // namespace heddle
