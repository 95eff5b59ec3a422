// NVLink between the GPUs of a server, message-level (MODEL.md, 9.7).
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/units.hpp"
#include "kernels/transport/site.hpp"

namespace heddle {

enum class NvlinkLane : u32 { credit = 0, transfer = 1 };

/// f(queue, its bit) for the queues that come in at GPU `e` whose bit is set, in order of their sources.
template <class F>
HEDDLE_FN void for_queues(const Collectives& k, u32 e, const u64* words, const F& f) {
  const u32 first = k.first_incoming[e];
  for (u32 w = k.first_incoming_word[e]; w < k.first_incoming_word[e + 1]; ++w) {
    for (u64 left = words[w]; left != 0; left &= left - 1) {
      const u32 bit = lowest_bit(left), at = (w - k.first_incoming_word[e]) * 64 + bit;
      f(k.incoming[first + at / 2] * 2 + at % 2, k.bit_of(e, at));
    }
  }
}

/// The queue of the other direction; kNone: there is none.
HEDDLE_FN u32 back_of(const Collectives& k, u32 q) {
  const u32 back = k.nvlink[q / 2].reverse;
  return back == kNone ? kNone : back * 2 + q % 2;
}

/// At the start of a tick: both parities agree on what GPU `e` has told in the last one, and it knows what others have.
HEDDLE_FN void hear_nvlinks(const View& v, u32 e, u32 parity) {
  const Collectives& k = v.collective;
  for_queues(k, e, k.nvlink_moved, [&](u32 q, NvlinkBit) {
    k.nvlink_head[parity ^ 1][q] = k.nvlink_head[parity][q];
    const u32 out = back_of(k, q);
    if (out != kNone) k.nvlink_published[parity ^ 1][out] = k.nvlink_published[parity][out];
  });
  for (u32 w = k.first_incoming_word[e]; w < k.first_incoming_word[e + 1]; ++w) {
    k.nvlink_moved[w] = 0;
    k.nvlink_waiting[w] |= k.nvlink_news[parity][w];
    k.nvlink_news[parity][w] = 0;
  }
}

/// The NVLink ports of one GPU.
template <class Team>
class NvlinkSide {
 public:
  HEDDLE_FN explicit NvlinkSide(Site<Team>& site) : x_(site), v_(site.v), k_(site.v.collective) {
    if (v_.settings.any_nvlink) find_due();
  }

  /// Everything this GPU sent becomes visible to the others.
  HEDDLE_FN void publish() {
    if (!v_.settings.any_nvlink) return;
    for_queues(k_, x_.e, k_.nvlink_moved, [&](u32 q, NvlinkBit) {
      const u32 out = back_of(k_, q);
      if (out != kNone)
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

  HEDDLE_FN TimePs next_due_ps() const { return due_ps_; }

  /// Takes what arrives by t: credits first, then heads of transfers, each in order of the source GPU.
  template <class OnCredit>
  HEDDLE_FN void arrive(TimePs t, const OnCredit& on_credit) {
    if (due_ps_ > t) return;
    take(NvlinkLane::credit, t, on_credit);
    take(NvlinkLane::transfer, t, [&](const Packet& item) {
      Gpu& gpu = x_.gpu();
      const ConnectionPlan c = x_.connection(item.w0);
      if (c.in_switch == InSwitch::reduces && !reduced(c, item, t)) return;
      x_.push(gpu.arrivals, item, take_turn(gpu.ingress_free_ps, t, c, item.w2));
    });
    find_due();
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

  HEDDLE_FN TimePs head_ps(u32 q) const {
    const auto& seen = k_.nvlink_published[x_.parity][q];
    const u32 head = k_.nvlink_head[x_.parity ^ 1][q];
    return head == seen.tail ? kNever : v_.pool.time_ps[seen.ring.at(head)];
  }

  /// The first instant at which something arrives, of what was there when this tick began.
  HEDDLE_FN void find_due() {
    due_ps_ = kNever;
    for_queues(k_, x_.e, k_.nvlink_waiting, [&](u32 q, NvlinkBit bit) {
      const TimePs due = head_ps(q);
      if (due == kNever) k_.nvlink_waiting[bit.word] &= ~bit.mask;
      if (due < due_ps_) due_ps_ = due;
    });
  }

  template <class F>
  HEDDLE_FN void take(NvlinkLane lane, TimePs t, const F& f) {
    for_queues(k_, x_.e, k_.nvlink_waiting, [&](u32 q, NvlinkBit bit) {
      if (q % 2 != static_cast<u32>(lane)) return;
      while (head_ps(q) <= t) {
        k_.nvlink_moved[bit.word] |= bit.mask;
        f(v_.pool.packet[k_.nvlink_published[x_.parity][q].ring.at(k_.nvlink_head[x_.parity ^ 1][q]++)]);
      }
    });
  }

  HEDDLE_FN void push(u32 link, NvlinkLane lane, u32 connection, u32 slice, u32 bytes, TimePs when) {
    const u32 q = link * 2 + static_cast<u32>(lane);
    NvlinkQueue& queue = k_.nvlink_queue[q];
    const u32 head = k_.nvlink_head[x_.parity][q];
    if (queue.tail + 1 - head > queue.ring.entries()) grow_ring(v_.pool, queue.ring, head, queue.tail, queue.tail + 1);
    v_.pool.packet[queue.ring.at(queue.tail)] = Packet{connection, slice, bytes, 0};
    v_.pool.time_ps[queue.ring.at(queue.tail)] = when;
    ++queue.tail;
    const NvlinkPlan& plan = k_.nvlink[link];
    if (plan.reverse != kNone) {
      const NvlinkBit own = k_.bit_of(x_.e, 2 * k_.nvlink[plan.reverse].place + static_cast<u32>(lane));
      k_.nvlink_moved[own.word] |= own.mask;
    }
    const NvlinkBit there = k_.bit_of(plan.dst, 2 * plan.place + static_cast<u32>(lane));
    global_or(k_.nvlink_news[x_.parity ^ 1][there.word], there.mask);
    wake(v_, v_.switches + plan.dst, 0, x_.parity ^ 1, when);
  }

  Site<Team>& x_;
  const View& v_;
  const Collectives& k_;
  TimePs due_ps_ = kNever;
};

}  // namespace heddle
