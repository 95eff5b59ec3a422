// NVLink between the GPUs of a server, message-level (MODEL.md, 9.7).
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/units.hpp"
#include "kernels/transport/nic_context.hpp"

namespace heddle {

enum class NvlinkQueueKind : u32 { credit = 0, transfer = 1 };

/// The incoming queues of one GPU: a bit each, in order of their sources, credits before transfers.
struct NvlinkQueues {
  const u32* incoming;  // NVLink numbers
  u32 first_word, end_word;

  HEDDLE_FN NvlinkQueues(const Collectives& k, u32 e)
      : incoming(k.incoming + k.first_incoming[e]),
        first_word(k.first_incoming_word[e]),
        end_word(k.first_incoming_word[e + 1]) {}

  /// Calls f(queue, its bit) for the bits of word w that are set in `left`.
  template <class F>
  HEDDLE_FN void in_word(u32 w, u64 left, const F& f) const {
    for (; left != 0; left &= left - 1) {
      const u32 bit = lowest_bit(left), at = (w - first_word) * 64 + bit;
      f(incoming[at / 2] * 2 + at % 2, left & -left);
    }
  }
};

/// The queue in the other direction; kNone when there is none.
HEDDLE_FN u32 back_of(const Collectives& k, u32 q) {
  const u32 back = k.nvlink[q / 2].reverse;
  return back == kNone ? kNone : back * 2 + q % 2;
}

/// Copies into the other buffer what the GPU of these queues has published on the queues of word w.
HEDDLE_FN void sync_nvlink_buffers(const Collectives& k, const NvlinkQueues& queues, u32 w, u32 parity) {
  queues.in_word(w, k.nvlink_moved[w], [&](u32 q, u64) {
    k.nvlink_head[parity ^ 1][q] = k.nvlink_head[parity][q];
    const u32 out = back_of(k, q);
    if (out != kNone) k.nvlink_published[parity ^ 1][out] = k.nvlink_published[parity][out];
  });
  k.nvlink_moved[w] = 0;
}

/// Copies into the other buffer what GPU `e` has published on all its queues.
HEDDLE_FN void sync_nvlink_buffers(const View& v, u32 e, u32 parity) {
  const NvlinkQueues queues(v.collective, e);
  for (u32 w = queues.first_word; w < queues.end_word; ++w) sync_nvlink_buffers(v.collective, queues, w, parity);
}

/// At the start of a tick: syncs the buffers that GPU `e` published to in the last tick, and receives updates of
/// others.
HEDDLE_FN void receive_nvlink_updates(const View& v, u32 e, u32 parity) {
  const Collectives& k = v.collective;
  const NvlinkQueues queues(k, e);
  TimePs first = k.gpu[e].due_ps[kNvlink];
  for (u32 w = queues.first_word; w < queues.end_word; ++w) {
    sync_nvlink_buffers(k, queues, w, parity);
    const u64 updates = k.nvlink_updates[parity][w];
    if (updates == 0) continue;
    queues.in_word(w, updates, [&](u32 q, u64) {
      const TimePs due = v.pool.time_ps[k.nvlink_published[parity][q].ring.at(k.nvlink_head[parity][q])];
      first = due < first ? due : first;
    });
    k.nvlink_waiting[w] |= updates;
    k.nvlink_updates[parity][w] = 0;
  }
  k.gpu[e].due_ps[kNvlink] = first;
  Nic& nic = v.endpoint.nic[e];
  if (first < nic.work_due_ps) nic.work_due_ps = first;
}

/// The NVLink ports of one GPU.
template <class Team>
class NvlinkSide {
 public:
  HEDDLE_FN explicit NvlinkSide(const NicContext<Team>& context)
      : x_(context), v_(context.v), k_(context.v.collective) {}

  /// Sends a slice at t; its head reaches the other GPU after the latency. A slice that the switch multicasts leaves
  /// once, reaches all joined GPUs, and returns to this one.
  HEDDLE_FN void transfer(const ConnectionPlan& c, u32 connection, u32 slice, u32 bytes, TimePs t) {
    Gpu& gpu = x_.gpu();
    const TimePs head = (gpu.egress_free_ps > t ? gpu.egress_free_ps : t) + k_.nvlink_latency_ps;
    take_turn(gpu.egress_free_ps, t, c, bytes);
    if (c.in_switch != InSwitch::multicasts)
      return push(c.link, NvlinkQueueKind::transfer, connection, slice, bytes, head);
    take_turn(gpu.ingress_free_ps, t, c, bytes);
    for (u32 i = c.first_joined; i < c.first_joined + c.joined; ++i)
      push(x_.connection(i).link, NvlinkQueueKind::transfer, i, slice, bytes, head);
  }

  /// Sends the sender of `connection`, whose slices arrive over `link`, a credit to write `slice`.
  HEDDLE_FN void credit(u32 link, u32 connection, u32 slice, TimePs t) {
    push(k_.nvlink[link].reverse, NvlinkQueueKind::credit, connection, slice, 0, t + k_.nvlink_latency_ps);
  }

  /// Takes the items that arrive by t: credits first, then heads of transfers, each in order of the source GPU.
  template <class OnCredit>
  HEDDLE_FN void arrive(TimePs t, const OnCredit& on_credit) {
    const NvlinkQueues queues(k_, x_.e);
    const TimePs after_credits = take(queues, NvlinkQueueKind::credit, t, on_credit);
    const TimePs after_heads = take(queues, NvlinkQueueKind::transfer, t, [&](const Packet& item) {
      Gpu& gpu = x_.gpu();
      const ConnectionPlan c = x_.connection(item.w0);
      if (c.in_switch == InSwitch::reduces && !reduced(c, item, t)) return;
      x_.push(kArrival, item, take_turn(gpu.ingress_free_ps, t, c, item.w2));
    });
    x_.gpu().due_ps[kNvlink] = after_credits < after_heads ? after_credits : after_heads;
  }

 private:
  /// Occupies a port, free at `free_ps`, with a slice; returns when the slice is through.
  HEDDLE_FN TimePs take_turn(TimePs& free_ps, TimePs t, const ConnectionPlan& c, u32 bytes) const {
    const u32 speed = c.in_switch == InSwitch::nothing ? k_.nvlink_ps_per_byte_q16 : k_.nvls_ps_per_byte_q16;
    free_ps = (free_ps > t ? free_ps : t) + ser_ps(bytes, speed);
    return free_ps;
  }

  /// Counts a slice that the switch reduces; returns whether it is the last one, which also occupies this GPU's egress.
  HEDDLE_FN bool reduced(const ConnectionPlan& c, const Packet& item, TimePs t) const {
    if (--k_.recv[c.recv_end].parts_left[item.w1 % kMaxSlots] != 0) return false;
    take_turn(x_.gpu().egress_free_ps, t, c, item.w2);
    return true;
  }

  /// Takes the items that arrive by t in the queues of a channel end. Returns when the next item arrives, among those
  /// published before this tick.
  template <class F>
  HEDDLE_FN TimePs take(const NvlinkQueues& queues, NvlinkQueueKind channel_end, TimePs t, const F& f) const {
    constexpr u64 kCredits = 0x5555'5555'5555'5555;
    TimePs next = kNever;
    for (u32 w = queues.first_word; w < queues.end_word; ++w) {
      const u64 of_channel_end = k_.nvlink_waiting[w] & (channel_end == NvlinkQueueKind::credit ? kCredits : ~kCredits);
      queues.in_word(w, of_channel_end, [&](u32 q, u64 bit) {
        const auto& seen = k_.nvlink_published[x_.parity][q];
        u32& head = k_.nvlink_head[x_.parity ^ 1][q];
        TimePs due = kNever;
        for (; head != seen.tail; ++head) {
          due = v_.pool.time_ps[seen.ring.at(head)];
          if (due > t) break;
          k_.nvlink_moved[w] |= bit;
          f(v_.pool.packet[seen.ring.at(head)]);
        }
        if (head == seen.tail) k_.nvlink_waiting[w] &= ~bit;
        if (head != seen.tail && due < next) next = due;
      });
    }
    return next;
  }

  HEDDLE_FN void push(u32 link, NvlinkQueueKind channel_end, u32 connection, u32 slice, u32 bytes, TimePs when) {
    const u32 q = link * 2 + static_cast<u32>(channel_end);
    NvlinkQueue& queue = k_.nvlink_queue[q];
    const u32 head = k_.nvlink_head[x_.parity][q];
    if (queue.tail + 1 - head > queue.ring.entries()) grow_ring(v_.pool, queue.ring, head, queue.tail, queue.tail + 1);
    v_.pool.packet[queue.ring.at(queue.tail)] = Packet{connection, slice, bytes, 0};
    v_.pool.time_ps[queue.ring.at(queue.tail)] = when;
    ++queue.tail;
    const NvlinkPlan& plan = k_.nvlink[link];
    if (plan.reverse != kNone) {
      const NvlinkBit own = k_.bit_of(x_.e, 2 * k_.nvlink[plan.reverse].place + static_cast<u32>(channel_end));
      k_.nvlink_moved[own.word] |= own.mask;
      k_.nvlink_published[x_.parity ^ 1][q] = {queue.ring, queue.tail};
    }
    const NvlinkBit there = k_.bit_of(plan.dst, 2 * plan.place + static_cast<u32>(channel_end));
    global_or(k_.nvlink_updates[parity_within_batch(v_, x_.parity ^ 1)][there.word], there.mask);
    wake(v_, v_.switches + plan.dst, 0, x_.parity ^ 1, when);
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Collectives& k_;
};

}  // namespace heddle
