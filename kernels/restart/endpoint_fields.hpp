// Fields of an endpoint: its queue pairs, messages and collectives.
#pragma once

#include "kernels/congestion/controls.hpp"
#include "kernels/restart/fields.hpp"
#include "kernels/restart/fifos.hpp"
#include "kernels/restart/tcp_fields.hpp"
#include "kernels/restart/used_entries.hpp"
#include "kernels/restart/window_fields.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/transport/timers.hpp"

namespace heddle {

/// Log of explicit messages at the sending end of a queue pair.
template <class A>
void sent_message_fields(A& a, const View& v, const SenderPlan& plan) {
  if (plan.connection != kNone) return;
  const MessageWaits& waits = v.endpoint.waits;
  for (u32 m = plan.first_message; m < plan.first_message + plan.messages; ++m) {
    fields(a, v.endpoint.message.sent[m]);
    if (v.settings.messages_wait) a(waits.left[m], waits.posted_ps[m]);
  }
}

/// Log of explicit messages at the receiving end of a queue pair.
template <class A>
void received_message_fields(A& a, const MessageLog& log, const ReceiverPlan& plan) {
  if (plan.connection != kNone) return;
  for (u32 m = plan.first_message; m < plan.first_message + plan.messages; ++m) fields(a, log.received[m]);
}

/// Rebuilds the ready sets and the heap of timers from the state of every sender.
inline void rebuild_ready_and_timers(const View& v, u32 e) {
  const Endpoints& ep = v.endpoint;
  Nic& nic = ep.nic[e];
  const u32 first = ep.first_sender[e], count = ep.first_sender[e + 1] - first, words = (count + 63) / 64;
  const PairsRank pairs(v, e);
  u64* ready = ep.ready + ep.first_ready_word[e];
  for (u32 w = ep.first_ready_word[e]; w < ep.first_ready_word[e + 1]; ++w) ep.ready[w] = 0;
  for (u32 p = 0; p < count_ports(v, e); ++p) {
    NicPort& port = port_of_nic(v, e, p);
    port = {.last_served = port.last_served};
  }
  nic.timers = 0;
  nic.timer_ps = kNever;
  for (u32 n = 0; n < count; ++n) {
    const Sender& q = ep.sender[first + n];
    for (u32 left = q.ready; left != 0; left &= left - 1) {
      const u32 number = lowest_bit(left), c = sender_plan(v, pairs, e, n).traffic_class;
      ready[(number * (v.settings.classes - 1) + c - 1) * words + n / 64] |= u64{1} << (n % 64);
      NicPort& port = port_of_nic(v, e, number);
      ++port.ready[c];
      port.ready_classes |= 1u << c;
    }
    if (q.timed) push_timer(ep.timers + first, nic, {q.timer_ps, n});
  }
}

template <class A>
void queue_pair_fields(A& a, const View& v, u32 e) {
  const Endpoints& ep = v.endpoint;
  const u32 first = ep.first_sender[e], senders = ep.first_sender[e + 1] - first;
  const bool selective = v.settings.roce.selective();
  const u32 words = v.settings.roce.reorder_window_packets / 64;
  if (selective) repeat_fields(a, ep, words, first, senders);
  used_entries(a, ep.sender + first, senders);
  if (selective) used_entries(a, ep.low_timer + first, senders);
  if (v.settings.congestion.any()) {
    CongestionControls::visit(v.settings.congestion.number, [&](auto tag) {
      used_entries(a, ep.control.of<typename decltype(tag)::Control>().state + first, senders);
    });
  }
  const u32 first_receiver = ep.first_receiver[e], receivers = ep.first_receiver[e + 1] - first_receiver;
  used_entries(a, ep.receiver + first_receiver, receivers);
  if (selective) placed_fields(a, ep, words, first_receiver, receivers);
  tcp_fields(a, v, e);
  // Queue pairs outside the tables carry no messages.
  for (u32 i = ep.first_sender_plan[e]; i < ep.first_sender_plan[e + 1]; ++i)
    sent_message_fields(a, v, ep.sender_plan[i]);
  for (u32 i = ep.first_receiver_plan[e]; i < ep.first_receiver_plan[e + 1]; ++i)
    received_message_fields(a, ep.message, ep.receiver_plan[i]);
}

/// Copies in progress. The GPU names channel ends by local numbers; a checkpoint counts them from the GPU's first.
template <class A>
void copy_fields(A& a, const View& v, u32 e) {
  Gpu& gpu = v.collective.gpu[e];
  Fifo& copies = gpu.fifo[kCopy];
  const u32 first = v.collective.first_channel_end[e];
  const auto renumber = [&](u32 by) {
    for (u32 p = copies.head; p != copies.tail; ++p) v.pool.packet[copies.ring.at(p)].w0 += by;
  };
  if constexpr (!A::kLoads) renumber(0 - first);
  fifo_fields(a, v.pool, copies, gpu.due_ps[kCopy]);
  renumber(first);
}

/// Slices and credits on incoming NVLinks, in order of the source GPUs.
template <class A>
void nvlink_fields(A& a, const View& v, u32 e, u32 parity) {
  const Collectives& k = v.collective;
  if constexpr (A::kLoads) k.gpu[e].due_ps[kNvlink] = kNever;
  for (u32 i = k.first_incoming[e] * 2; i < k.first_incoming[e + 1] * 2; ++i) {
    const u32 q = k.incoming[i / 2] * 2 + i % 2;
    Fifo fifo{k.nvlink_queue[q].ring, k.nvlink_head[parity][q], k.nvlink_queue[q].tail};
    TimePs due_ps = kNever;
    fifo_fields(a, v.pool, fifo, due_ps);
    if (A::kLoads && due_ps < k.gpu[e].due_ps[kNvlink]) k.gpu[e].due_ps[kNvlink] = due_ps;
    if constexpr (A::kLoads) {
      const NvlinkBit bit = k.bit_of(e, i - k.first_incoming[e] * 2);
      if (!fifo.empty()) k.nvlink_waiting[bit.word] |= bit.mask;
      k.nvlink_queue[q] = {fifo.ring, fifo.tail};
      for (u32 p = 0; p < 2; ++p) {
        k.nvlink_head[p][q] = fifo.head;
        k.nvlink_published[p][q] = {fifo.ring, fifo.tail};
      }
    }
  }
}

/// Saved as empty where waits are not reported, because a run may resume with other reports.
template <class A>
void cts_wait_fields(A& a, CtsWait* waits, u32 count) {
  CtsWait none;
  marked(
      a, count, [&](u32 i) { return waits != nullptr && used(waits[i]); },
      [&](u32 i) {
        none = {};
        fields(a, waits == nullptr ? none : waits[i]);
      },
      [&](u32 i) { waits[i] = {}; });
}

/// Channel ends and CTSs. The set of touched channel ends is not saved: it is empty at the end of every instant.
template <class A>
void channel_end_fields(A& a, const View& v, u32 e) {
  const Collectives& k = v.collective;
  const u32 first = k.first_channel_end[e], channel_ends = k.first_channel_end[e + 1] - first;
  used_entries(a, k.channel_end + first, channel_ends);
  used_entries(a, k.send + k.end_of(first, 0), channel_ends << k.peers_log2);
  cts_wait_fields(a, k.cts_wait == nullptr ? nullptr : k.cts_wait + k.end_of(first, 0), channel_ends << k.peers_log2);
  used_entries(a, k.recv + k.end_of(first, 0), channel_ends << k.peers_log2);
  const u32 first_qp = v.endpoint.first_receiver[e];
  used_entries(a, k.cts + first_qp, v.endpoint.first_receiver[e + 1] - first_qp);
}

/// A GPU's program and its streams.
template <class A>
void program_fields(A& a, const Programs& p, u32 e) {
  if (p.tasks == 0 || p.gpu[e].program == kNone) return;
  fields(a, p.state[e]);
  const u32 first = p.gpu[e].first_stream;
  for (u32 s = first; s < first + p.program[p.gpu[e].program].streams; ++s) fields(a, p.stream[s]);
}

/// Batches that an endpoint has to take. When they are due follows from all endpoints (load.cpp).
template <class A>
void batch_fields(A& a, const View& v, u32 e) {
  const Programs& p = v.collective.programs;
  const MessageWaits& waits = v.endpoint.waits;
  for (u32 c = p.first_client[e]; c < p.first_client[e + 1]; ++c) {
    a(p.taken[c]);
    const BatchRange batches = p.series_of_client(c);
    for (u32 b = batches.first; b < batches.first + batches.count; ++b)
      a(p.handed_ps[b], waits.left[waits.messages + b], waits.posted_ps[waits.messages + b]);
  }
}

/// Charges again the memory that channel ends of an all-to-all use, which checkpoints do not contain.
inline void charge_again(const View& v, u32 e) {
  const Collectives& k = v.collective;
  const PairsRank pairs(v, e);
  if (!pairs.present()) return;
  for (u32 l = k.first_channel_end[e]; l < k.first_channel_end[e + 1]; ++l) {
    if (k.channel_end[l].active) pairs.charge_channel_end(l);
  }
  if (!v.settings.congestion.any()) return;
  const u32 first = v.endpoint.first_sender[e], senders = v.endpoint.first_sender[e + 1] - first;
  CongestionControls::visit(v.settings.congestion.number, [&](auto tag) {
    for (u32 n = 0; n < senders; ++n) {
      if (!v.endpoint.control.of<typename decltype(tag)::Control>().state[first + n].started()) continue;
      pairs.charge_controls();
      n |= 63;
    }
  });
}

template <class A>
void collective_fields(A& a, const View& v, u32 e, u32 parity) {
  const Collectives& k = v.collective;
  if (k.jobs == 0) return;
  Gpu& gpu = k.gpu[e];
  fields(a, gpu);
  const auto put_off = [&](u32 delay) { fifo_fields(a, v.pool, gpu.fifo[delay], gpu.due_ps[delay]); };
  put_off(kProxy);
  put_off(kFlush);
  for (u32 p = 0; p < kPosts; ++p) put_off(kPost + p);
  copy_fields(a, v, e);
  put_off(kArrival);
  for (u32 m = k.first_member[e]; m < k.first_member[e + 1]; ++m) fields(a, k.member[m]);
  channel_end_fields(a, v, e);
  program_fields(a, k.programs, e);
  if (v.settings.any_batches) batch_fields(a, v, e);
  if constexpr (A::kLoads) charge_again(v, e);
  if (v.settings.any_nvlink) nvlink_fields(a, v, e, parity);
  if constexpr (A::kLoads) v.endpoint.nic[e].work_due_ps = gpu.first_due_ps();
}

template <class A>
void endpoint_fields(A& a, const View& v, u32 e, u32 parity) {
  Nic& nic = v.endpoint.nic[e];
  for (u32 p = 0; p < count_ports(v, e); ++p) a(port_of_nic(v, e, p).last_served);
  fields(a, nic);
  fifo_fields(a, v.pool, nic.slow.buffer, nic.slow.drain_ps);
  queue_pair_fields(a, v, e);
  if constexpr (A::kLoads) rebuild_ready_and_timers(v, e);
  collective_fields(a, v, e, parity);
}

}  // namespace heddle
