// NVLink between the GPUs of a server, message-level (MODEL.md, 9.7).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/transport/site.hpp"

namespace heddle {

enum class NvlinkLane : u32 { credit = 0, transfer = 1 };

/// The NVLink ports of one GPU.
template <class Team>
class NvlinkSide {
 public:
  HEDDLE_FN explicit NvlinkSide(Site<Team>& site) : x_(site), v_(site.v), k_(site.v.collective) {}

  /// Positions that this GPU owns go on from what it published last.
  HEDDLE_FN void carry_over() {
    if (!v_.settings.any_nvlink) return;
    for_incoming([&](u32 q) { k_.nvlink_head[x_.parity ^ 1][q] = k_.nvlink_head[x_.parity][q]; });
  }

  /// Everything this GPU sent becomes visible to the others.
  HEDDLE_FN void publish() {
    if (!v_.settings.any_nvlink) return;
    for_incoming([&](u32 q) {  // the links come in pairs: who sends to us is who we send to
      const u32 back = k_.nvlink[q / 2].reverse;
      if (back == kNone) return;
      const u32 out = back * 2 + q % 2;
      k_.nvlink_published[x_.parity ^ 1][out] = {k_.nvlink_queue[out].ring, k_.nvlink_queue[out].tail};
    });
  }

  /// Hands a slice over at t; its head reaches the other GPU after the latency. What the switch multicasts leaves once,
  /// reaches all, and comes back.
  HEDDLE_FN void transfer(const ConnectionPlan& c, u32 connection, u32 slice, u32 bytes, TimePs t) {
    Gpu& gpu = x_.gpu();
    const TimePs head = (gpu.egress_free_ps > t ? gpu.egress_free_ps : t) + k_.nvlink_latency_ps;
    take_turn(gpu.egress_free_ps, t, c, bytes);
    if (c.in_switch != InSwitch::multicasts) return push(c.link, NvlinkLane::transfer, connection, slice, bytes, head);
    take_turn(gpu.ingress_free_ps, t, c, bytes);
    for (u32 i = c.first_joined; i < c.first_joined + c.joined; ++i)
      push(x_.connection(i).link, NvlinkLane::transfer, i, slice, bytes, head);
  }

  /// Tells the sender at the other end of `connection`, whose slices come by `link`, that it may write `slice`.
  HEDDLE_FN void credit(u32 link, u32 connection, u32 slice, TimePs t) {
    push(k_.nvlink[link].reverse, NvlinkLane::credit, connection, slice, 0, t + k_.nvlink_latency_ps);
  }

  HEDDLE_FN TimePs next_due_ps() const {
    TimePs next = kNever;
    if (!v_.settings.any_nvlink) return next;
    for_incoming([&](u32 q) {
      const TimePs due = head_ps(q);
      if (due < next) next = due;
    });
    return next;
  }

  /// Takes what arrives by t: credits first, then heads of transfers, each in order of the source GPU.
  template <class OnCredit>
  HEDDLE_FN void arrive(TimePs t, const OnCredit& on_credit) {
    if (!v_.settings.any_nvlink) return;
    take(NvlinkLane::credit, t, on_credit);
    take(NvlinkLane::transfer, t, [&](const Packet& item) {
      Gpu& gpu = x_.gpu();
      const ConnectionPlan c = x_.connection(item.w0);
      if (c.in_switch == InSwitch::reduces && !reduced(c, item, t)) return;
      fifo_push(v_.pool, gpu.arrivals, item, take_turn(gpu.ingress_free_ps, t, c, item.w2));
    });
  }

 private:
  /// The next at a port that is free at `free_ps`; says when it is done.
  HEDDLE_FN TimePs take_turn(TimePs& free_ps, TimePs t, const ConnectionPlan& c, u32 bytes) const {
    const u32 speed = c.in_switch == InSwitch::nothing ? k_.nvlink_ps_per_byte_q16 : k_.nvls_ps_per_byte_q16;
    free_ps = (free_ps > t ? free_ps : t) + ser_ps(bytes, speed);
    return free_ps;
  }

  /// A slice from one of those that the switch reduces: whether it is the last one. Then it takes that of this GPU,
  /// too.
  HEDDLE_FN bool reduced(const ConnectionPlan& c, const Packet& item, TimePs t) const {
    if (--k_.recv[c.recv_end].parts_left[item.w1 % kMaxSlots] != 0) return false;
    take_turn(x_.gpu().egress_free_ps, t, c, item.w2);
    return true;
  }

  template <class F>
  HEDDLE_FN void for_incoming(const F& f) const {
    for (u32 i = k_.first_incoming[x_.e]; i < k_.first_incoming[x_.e + 1]; ++i) {
      f(k_.incoming[i] * 2);
      f(k_.incoming[i] * 2 + 1);
    }
  }

  HEDDLE_FN TimePs head_ps(u32 q) const {
    const auto& seen = k_.nvlink_published[x_.parity][q];
    const u32 head = k_.nvlink_head[x_.parity ^ 1][q];
    return head == seen.tail ? kNever : v_.pool.time_ps[seen.ring.at(head)];
  }

  template <class F>
  HEDDLE_FN void take(NvlinkLane lane, TimePs t, const F& f) {
    for (u32 i = k_.first_incoming[x_.e]; i < k_.first_incoming[x_.e + 1]; ++i) {
      const u32 q = k_.incoming[i] * 2 + static_cast<u32>(lane);
      while (head_ps(q) <= t)
        f(v_.pool.packet[k_.nvlink_published[x_.parity][q].ring.at(k_.nvlink_head[x_.parity ^ 1][q]++)]);
    }
  }

  HEDDLE_FN void push(u32 link, NvlinkLane lane, u32 connection, u32 slice, u32 bytes, TimePs when) {
    const u32 q = link * 2 + static_cast<u32>(lane);
    NvlinkQueue& queue = k_.nvlink_queue[q];
    const u32 head = k_.nvlink_head[x_.parity][q];
    if (queue.tail + 1 - head > queue.ring.entries()) grow_ring(v_.pool, queue.ring, head, queue.tail, queue.tail + 1);
    v_.pool.packet[queue.ring.at(queue.tail)] = Packet{connection, slice, bytes, 0};
    v_.pool.time_ps[queue.ring.at(queue.tail)] = when;
    ++queue.tail;
    global_min(v_.wake_ps[x_.parity ^ 1][v_.switches + k_.nvlink[link].dst], when);
  }

  Site<Team>& x_;
  const View& v_;
  const Collectives& k_;
};

}  // namespace heddle
