// The receiving ends of a NIC's queue pairs: in-order delivery, ACK, NAK, CNP (MODEL.md, 8.5).
#pragma once

#include "kernels/transport/site.hpp"
#include "kernels/transport/streams.hpp"

namespace heddle {

template <class Team>
class ReceiverSide {
 public:
  HEDDLE_FN explicit ReceiverSide(Site<Team>& site)
      : x_(site), v_(site.v), s_(site.v.settings), first_(v_.endpoint.first_receiver[site.e]) {}

  HEDDLE_FN void on_data(const Packet& packet, TimePs t) {
    const u32 n = packet.dst_qp();
    Receiver& q = v_.endpoint.receiver[first_ + n];
    const ReceiverPlan plan = x_.receiver_plan(n);
    const u32 psn = extend24(packet.psn(), q.expected);
    const i32 ahead = static_cast<i32>(psn - q.expected);
    const bool cnp = packet.ecn() && s_.dcqcn.enabled && (!q.cnp_sent || t - q.last_cnp_ps >= s_.dcqcn.cnp_gap_ps);
    if (plan.connection == kNone && q.message < plan.messages) {
      v_.endpoint.message.marks[plan.first_message + q.message] += packet.ecn();
      v_.endpoint.message.cnps[plan.first_message + q.message] += cnp;
    }
    if (ahead > 0) {
      if (!q.nak_sent) {
        q.nak_sent = true;
        q.unacked = 0;
        answer(plan, PacketKind::nak, q.expected, s_.roce.ack_wire_bytes, t);
      }
    } else {
      if (ahead == 0) deliver(plan, q, packet, t);
      if (packet.last() || ++q.unacked >= s_.roce.ack_every) {
        q.unacked = 0;
        answer(plan, PacketKind::ack, q.expected, s_.roce.ack_wire_bytes, t);
      }
    }
    if (cnp) {
      q.cnp_sent = true;
      q.last_cnp_ps = t;
      answer(plan, PacketKind::cnp, 0, s_.roce.cnp_wire_bytes, t);
      x_.team_emit(x_.event(EventKind::cnp, t, n));
    }
  }

  /// A control packet to the sender of this receiver; CTS answers no data and stays in class 0.
  HEDDLE_FN void answer(const ReceiverPlan& plan, PacketKind kind, u32 psn, u32 wire_bytes, TimePs t) const {
    const u32 traffic_class = kind == PacketKind::cts ? 0 : plan.answer_class;
    x_.append(traffic_class,
              make_packet({plan.src, plan.sender_number, x_.id(), plan.entropy, psn, wire_bytes - kWireGapBytes,
                           traffic_class, kind, false}),
              t);
  }

 private:
  HEDDLE_FN void deliver(const ReceiverPlan& plan, Receiver& q, const Packet& packet, TimePs t) const {
    ++q.expected;
    q.nak_sent = false;
    x_.team.add(x_.team.tally().data_received, u64{1});
    if (!packet.last()) return;
    if (plan.connection == kNone) {
      const u32 m = plan.first_message + q.message++;
      v_.endpoint.message.received_ps[m] = t;
      x_.team_emit(x_.event(EventKind::message_received, t, m));
      return;
    }
    const ConnectionPlan c = x_.connection(plan.connection);
    RecvState& state = v_.collective.recv[c.recv_lane];
    while (stream_bytes(c, v_.collective.step[state.step], q.message, plan.scaling_index) == 0)
      ++q.message;  // empty parts were not sent
    const u32 slice = slice_of(c, q.message++, plan.scaling_index);
    if (--state.parts_left[slice % c.slots] == 0) x_.later(ProxyTask::slice_in, plan.connection, slice, t);
  }

  Site<Team>& x_;
  const View& v_;
  const Settings& s_;
  const u32 first_;
};

}  // namespace heddle
