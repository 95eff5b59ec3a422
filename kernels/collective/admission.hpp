// CTS packets: how the receiver of a connection admits slices over the network, and how CTSs recover from loss
// (MODEL.md, 9.4).
#pragma once

#include "kernels/collective/taken_ctss.hpp"
#include "kernels/transport/nic_context.hpp"
#include "kernels/transport/timeouts.hpp"

namespace heddle {

/// Both ends of the CTSs of one GPU's queue pairs.
template <class Team>
class Admission {
 public:
  HEDDLE_FN explicit Admission(const NicContext<Team>& context)
      : x_(context), v_(context.v), s_(context.v.settings), first_(v_.endpoint.first_receiver[context.e]) {}

  // ---- The receiver of slices sends CTSs.

  /// Slice `slice` of connection c and all other slices of its CTS have a slot.
  HEDDLE_FN void send_cts(const ConnectionPlan& c, u32 slice, TimePs t) const {
    const u32 n = c.first_receiver + (c.split ? 0 : slice / c.slices_per_cts % c.qps);
    CtsStream& stream = stream_of(n);
    if (stream.una == stream.end) {
      ++x_.gpu().cts_outstanding;
      stream.last_progress_ps = t;
      x_.hasten(kCtsTimeout, timeout_due_ps(stream));
    }
    const u32 number = stream.end++;
    if (stream.tries != kFailed) append_cts(x_.receiver_plan(n), number, t);
  }

  /// The answer to a CTS of queue pair n: CTSs before `number24` were taken. A NAK: those from there on were not.
  HEDDLE_FN void on_answer(u32 n, u32 number24, bool nak, TimePs t) const {
    CtsStream& stream = stream_of(n);
    if (stream.tries == kFailed) return;
    const u32 number = extend24(number24, stream.una);
    if (static_cast<i32>(number - stream.una) > 0) {
      stream.una = number;
      stream.last_progress_ps = t;
      stream.tries = 0;
      stream.lows = 0;
      if (stream.una == stream.end && --x_.gpu().cts_outstanding == 0) {
        x_.gpu().due_ps[kCtsTimeout] = kNever;
        x_.find_due();
      } else if (s_.roce.selective()) {
        x_.hasten(kCtsTimeout, timeout_due_ps(stream));
      }
    }
    if (nak) with_copy([&](const Admission& side) { side.send_again(n, stream, t); });
  }

  /// Earliest instant at which CTSs may be overdue.
  HEDDLE_FN TimePs next_due_ps() const { return x_.gpu().due_ps[kCtsTimeout]; }

  /// The timer stage at t: retransmission timeouts in order of the queue pairs.
  HEDDLE_FN void time_out(TimePs t) const {
    const u32 count = v_.endpoint.first_receiver[x_.e + 1] - first_;
    x_.gpu().due_ps[kCtsTimeout] = check_timeouts(
        v_.collective.cts + first_, count, t, [&](u32, const CtsStream& stream) { return timeout_due_ps(stream); },
        [&](u32 n, CtsStream& stream) { time_out_one(n, stream, t); });
  }

  // ---- The sender of slices takes them.

  /// Takes a CTS packet. Returns whether more slices may be sent now.
  HEDDLE_FN bool take(const Packet& cts, TimePs t) const {
    const SenderPlan plan = x_.sender_plan(cts.dst_qp());
    const ConnectionPlan c = x_.connection(plan.connection);
    SendState& send = v_.collective.send[c.send_end];
    const u32 expected = expected_cts(c, send, plan.scaling_index);
    const u32 number = extend24(cts.psn(), expected), slice = slice_of_cts(c, number, plan.scaling_index);
    const bool ahead = static_cast<i32>(number - expected) > 0;
    if (ahead && !s_.roce.selective()) {
      with_copy([&](const Admission& side) {
        side.ask_for(Packet(cts), SenderPlan(plan), ConnectionPlan(c), send, expected, t);
      });
      return false;
    }
    const u32 before = send.granted;
    if (number == expected || (ahead && !is_early(send, slice))) {
      take_slices(send, slice, c.slices_per_cts);
      if (ahead) return false;
    }
    answer(cts, plan, PacketKind::cts_ack, expected_cts(c, send, plan.scaling_index), t);
    if (send.granted == before) return false;
    note_granted(c.send_end, before, t);
    return true;
  }

  /// The proxy has been notified of a copied slice.
  HEDDLE_FN void note_posted(u32 end, u32 slice, TimePs t) const {
    if (v_.collective.cts_wait == nullptr) return;
    const u32 granted = v_.collective.send[end].granted;
    if (granted > slice) report_wait(0, t);
    if (granted == slice) v_.collective.cts_wait[end].since_ps = t;
  }

 private:
  /// When a stream with unacknowledged CTSs, or about to have some, times out.
  HEDDLE_FN TimePs timeout_due_ps(const CtsStream& stream) const {
    const TimePs due = deadline_ps(stream.last_progress_ps, s_.roce.rto_ps);
    if (!s_.roce.selective() || stream.lows >= kMaxLowTimeouts) return due;
    const i64 waits = stream.lows <= kMaxLowDoublings ? i64{1} << stream.lows
                                                      : (i64{stream.lows} + 1 - kMaxLowDoublings) << kMaxLowDoublings;
    const TimePs low = deadline_ps(stream.last_progress_ps, s_.roce.rto_low_ps * waits);
    return low < due ? low : due;
  }

  HEDDLE_FN void time_out_one(u32 n, CtsStream& stream, TimePs t) const {
    if (deadline_ps(stream.last_progress_ps, s_.roce.rto_ps) > t) {
      ++stream.lows;
      return with_copy([&](const Admission& side) { side.send_again(n, stream, t); });
    }
    stream.last_progress_ps = t;
    stream.lows = 0;
    if (x_.try_again(stream.tries, s_.roce.rto_tries, kReceivingEnd + n, t))
      with_copy([&](const Admission& side) { side.send_again(n, stream, t); });
  }

  /// Calls f with a copy of this object: see SenderSide.
  template <class F>
  HEDDLE_FN void with_copy(const F& f) const {
    const NicContext<Team> context = x_;
    f(Admission(context));
  }

  HEDDLE_FN CtsStream& stream_of(u32 n) const { return v_.collective.cts[first_ + n]; }

  /// Slices from `before` up to the granted ones were just granted; reports how long the posted ones among them waited.
  HEDDLE_FN void note_granted(u32 end, u32 before, TimePs t) const {
    if (v_.collective.cts_wait == nullptr) return;
    const SendState& send = v_.collective.send[end];
    CtsWait& wait = v_.collective.cts_wait[end];
    for (u32 slice = before; slice < send.granted && slice < send.posted; ++slice)
      report_wait(slice == before ? t - wait.since_ps : 0, t);
    if (send.granted < send.posted) wait.since_ps = t;
  }

  HEDDLE_FN void report_wait(TimePs waited_ps, TimePs t) const {
    x_.team_emit(x_.event(EventKind::cts_wait, t, static_cast<u64>(waited_ps)));
  }

  HEDDLE_FN Packet append_cts(const ReceiverPlan& plan, u32 number, TimePs t) const {
    u32 port = 0;  // MODEL.md, 8.10
    if (nic_ports<Team>(s_) != 1) port = x_.port_of_qp(plan.sender_number, x_.ports_in_service(plan.src, t));
    const Packet packet =
        make_packet({address_of<Team>(s_, plan.src, port), plan.sender_number, x_.address(port), plan.entropy, number,
                     s_.roce.cts_wire_bytes - s_.wire_gap_bytes, plan.cts_class, PacketKind::cts, false});
    x_.append_control(plan.cts_class, packet, t);
    return packet;
  }

  HEDDLE_RARE_FN void send_again(u32 n, const CtsStream& stream, TimePs t) const {
    const ReceiverPlan plan = x_.receiver_plan(n);
    for (u32 number = stream.una; number != stream.end; ++number)
      x_.team_emit(x_.event(EventKind::retransmit, t, append_cts(plan, number, t).id()));
  }

  HEDDLE_FN static void take_slices(SendState& send, u32 slice, u32 slices) {
    send.asked = static_cast<u8>(send.asked & ~(1u << (slice % kMaxSlots)));
    for (u32 i = 0; i < slices; ++i) send.early = static_cast<u8>(send.early | (1u << ((slice + i) % kMaxSlots)));
    while (is_early(send, send.granted)) {
      send.early = static_cast<u8>(send.early & ~(1u << (send.granted % kMaxSlots)));
      ++send.granted;
    }
  }

  /// A CTS was lost, or arrived out of order: sends one NAK for each missing CTS.
  HEDDLE_RARE_FN void ask_for(const Packet& cts, const SenderPlan& plan, const ConnectionPlan& c, SendState& send,
                              u32 number, TimePs t) const {
    const u32 bit = 1u << (slice_of_cts(c, number, plan.scaling_index) % kMaxSlots);
    if ((send.asked & bit) != 0) return;
    send.asked = static_cast<u8>(send.asked | bit);
    answer(cts, plan, PacketKind::cts_nak, number, t);
  }

  HEDDLE_FN void answer(const Packet& cts, const SenderPlan& plan, PacketKind kind, u32 number, TimePs t) const {
    const u32 cls = s_.roce.cts_high_priority ? 0 : plan.traffic_class;
    x_.append_control(cls,
                      make_packet({cts.src(), plan.receiver_number, cts.dst(), plan.entropy, number,
                                   s_.roce.ack_wire_bytes - s_.wire_gap_bytes, cls, kind, false}),
                      t);
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Settings& s_;
  const u32 first_;
};

}  // namespace heddle
