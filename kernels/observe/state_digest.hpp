// Digest of the canonical state at an instant: equal for every backend, thread count and numbering (MODEL.md, 11.3).
// It covers every queued packet and every packet on a wire with its time, PFC accounts and pauses in force,
// transmitters, counters of links, queue pairs, congestion controls and channel ends, as far as they were used. It
// leaves out derived state (addresses, ready sets, timers, published copies), and state that the next instants show
// anyway (deficits, pause changes in flight, copies, posts, flushes and NVLink transfers in progress).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/congestion/controls.hpp"
#include "kernels/state/policy_words.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Kinds of entity in the chain, which separate equal numbers of different entities.
enum class StateEntity : u64 {
  wire = 1,
  waiting = 2,
  account = 3,
  pause = 4,
  sender = 5,
  receiver = 6,
  control = 7,
  channel_end = 8,
  counters = 9,
  routing = 10,
  repeats = 11,
  placed = 12,
  losses = 13,
  cts = 14,
  admitted = 15,
  peer = 16,
  program = 17,
  stream = 18,
  message_wait = 19,
  low_timer = 20,
  cts_lows = 21,
  tcp_sender = 22,
  tcp_receiver = 23,
  tcp_bits = 24,
  batch = 25
};

/// One link: its FIFOs, the account kept for it, its pauses, its transmitter, its counters.
struct LinkDigest {
  const View* view;
  u32 parity;  // parity under which the last tick published
  TimePs now_ps;

  HEDDLE_FN u64 operator()(u32 link) const {
    const View& v = *view;
    const u32 node = v.link_node[link];
    const u64 where = port_word(v, link);
    const Egress& egress = v.egress[link];
    u64 sum = egress.free_ps > now_ps ? hash64(0, Stream::state, where, egress.free_ps) : 0;
    const LinkTally& tally = v.link_tally[link];
    sum += hash64(0, Stream::state, StateEntity::counters, where, tally.sent_wire_bytes, tally.sent_packets,
                  tally.peak_queue_bytes, tally.peak_queue_ps, tally.marks, tally.drops, tally.ingress_drops,
                  tally.pauses);
    for (u32 c = 0; c < v.settings.classes; ++c) {
      const u32 q = link * v.settings.classes + c;
      const Queue& queue = v.queue[q];
      const u32 head = v.head[parity][q];
      for (u32 p = head; p != queue.tail; ++p) {
        const bool wire = static_cast<i32>(p - queue.sent) < 0;
        const PacketDigestWords words = digest_words(v.pool.packet[queue.ring.at(p)]);
        const u64 position = wire ? p - head : p - queue.sent;
        sum += hash64(0, Stream::state, wire ? StateEntity::wire : StateEntity::waiting, where << 2 | c, position,
                      v.pool.time_ps[queue.ring.at(p)], words.front, words.back);
      }
    }
    if (v.settings.links_fail && v.failing.link[link].losses != 0)
      sum += hash64(0, Stream::state, StateEntity::losses, where, v.failing.link[link].losses);
    if (v.settings.keeps_route_state && node < v.switches) sum += routing(link, node, where);
    for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
      const u32 a = link * v.settings.pfc_classes + p;
      const Account& account = v.account[a];
      if (account.occupancy_bytes != 0 || account.pausing) {
        sum += hash64(0, Stream::state, StateEntity::account, where, p, account.occupancy_bytes, account.pausing,
                      account.pausing ? account.level_at_pause_bytes : 0);
      }
      const PauseReader& reader = v.pause_reader[a];
      if (reader.paused || reader.total_ps != 0) {
        sum += hash64(0, Stream::state, StateEntity::pause, where, p, reader.paused,
                      reader.paused ? reader.since_ps : 0, reader.total_ps);
      }
    }
    return sum;
  }

 private:
  /// The policy's state for the ingress queues of this port.
  HEDDLE_FN u64 routing(u32 link, u32 node, u64 where) const {
    const View& v = *view;
    const PolicyWords state = policy_words(v, node, link);
    u64 sum = 0;
    for (u32 i = 0; i < state.count; ++i) {
      if (state.words[i] != 0) sum += hash64(0, Stream::state, StateEntity::routing, where, i, state.words[i]);
    }
    return sum;
  }
};

/// One endpoint: its queue pairs and channel ends.
struct EndpointDigest {
  const View* view;
  TimePs now_ps;

  HEDDLE_FN u64 operator()(u32 e) const {
    const View& v = *view;
    const u64 id = static_cast<u64>(v.endpoint.id[e]) << 32;
    u64 sum = 0;
    for (u32 i = v.endpoint.first_sender[e]; i < v.endpoint.first_sender[e + 1]; ++i) {
      const Sender& q = v.endpoint.sender[i];
      const u64 where = id | (i - v.endpoint.first_sender[e]);
      if (q.sent_end == 0) continue;
      const bool outstanding = q.una != q.sent_end;
      sum += hash64(0, Stream::state, StateEntity::sender, where, q.una, q.next, q.sent_end, q.last_start_ps, q.tries,
                    outstanding ? q.last_progress_ps : 0);
      if (v.settings.congestion.any()) sum += control(i, where, nic_line(v, v.endpoint.nic[e]));
      if (q.repeats) sum += repeats(i, where);
      if (v.settings.roce.selective()) sum += low_timer(v.endpoint.low_timer[i], where);
    }
    for (u32 i = v.endpoint.first_receiver[e]; i < v.endpoint.first_receiver[e + 1]; ++i) {
      const Receiver& q = v.endpoint.receiver[i];
      const u64 where = id | (i - v.endpoint.first_receiver[e]);
      if (v.settings.roce.selective() && v.endpoint.seen_end[i] != q.expected) sum += placed(i, where);
      if (q.expected == 0 && !q.nak_sent) continue;
      sum += hash64(0, Stream::state, StateEntity::receiver, where, q.expected, q.unacked, q.nak_sent,
                    q.cnp_sent ? q.last_cnp_ps : -1);
    }
    if (v.settings.messages_wait) sum += message_waits(e);
    if (v.settings.any_tcp) sum += tcp(e, id);
    if (v.collective.jobs == 0) return sum;
    if (v.collective.programs.tasks != 0) sum += program(e, id);
    if (v.settings.any_batches) sum += batches(e, id);
    for (u32 l = v.collective.first_channel_end[e]; l < v.collective.first_channel_end[e + 1]; ++l)
      sum += channel_end(l, id | (l - v.collective.first_channel_end[e]));
    for (u32 i = v.endpoint.first_receiver[e]; i < v.endpoint.first_receiver[e + 1]; ++i) {
      const CtsStream& stream = v.collective.cts[i];
      if (stream.end == 0) continue;
      sum += hash64(0, Stream::state, StateEntity::cts, id | (i - v.endpoint.first_receiver[e]), stream.una, stream.end,
                    stream.tries, stream.una != stream.end ? stream.last_progress_ps : 0);
      if (stream.lows != 0)
        sum += hash64(0, Stream::state, StateEntity::cts_lows, id | (i - v.endpoint.first_receiver[e]), stream.lows);
    }
    return sum;
  }

 private:
  HEDDLE_FN u64 tcp(u32 e, u64 id) const {
    const Endpoints& ep = view->endpoint;
    const u32 words = view->settings.tcp.window_segments / 64;
    u64 sum = 0;
    for (u32 i = ep.first_sender_plan[e]; i < ep.first_sender_plan[e + 1]; ++i) {
      if (ep.sender_plan[i].tcp == kNone) continue;
      const TcpSender& c = ep.tcp.sender[ep.sender_plan[i].tcp];
      if (!c.started()) continue;
      u64 one = hash64(0, Stream::state, StateEntity::tcp_sender, id | (i - ep.first_sender_plan[e]), c.cwnd, c.count,
                       c.ssthresh, c.lost, c.again, c.recover, c.fast, c.alpha_q10, c.backoff, c.srtt_ps, c.rttvar_ps);
      one = absorb_all(one, c.prr_delivered, c.prr_out, c.prr_from, c.reduced, c.window_delivered, c.window_ce,
                       c.window_end, c.timing ? c.timed_psn : 0, c.timing ? c.timed_ps : -1, c.named);
      if (c.epoch_ps != kNever || c.w_max != 0)
        one = absorb_all(one, c.w_max, c.w_prior, c.cubic_origin, c.cubic_k, c.epoch_ps, c.w_est_q20);
      if (c.pace_ps != 0 || c.burst_left != 0) one = absorb_all(one, c.pace_ps, c.burst_left);
      if (view->settings.tcp.loss_detection == TcpLossDetection::rack)
        one = absorb_all(one, c.min_rtt_ps, c.reorder_due_ps, c.reorder_due_ps == kNever ? 0 : c.reorder_end,
                         c.rack_quarters, c.rack_recoveries, c.rack_round, c.reordered);
      for (u32 k = 0; k < c.named; ++k) one = absorb(one, c.highest[k]);
      sum += one;
      sum += bits(ep.tcp.sacked, ep.sender_plan[i].tcp, words, id | (i - ep.first_sender_plan[e]));
    }
    for (u32 i = ep.first_receiver_plan[e]; i < ep.first_receiver_plan[e + 1]; ++i) {
      if (ep.receiver_plan[i].tcp == kNone) continue;
      const TcpReceiver& c = ep.tcp.receiver[ep.receiver_plan[i].tcp];
      const u64 where = id | (i - ep.first_receiver_plan[e]);
      if (c.used())
        sum += hash64(0, Stream::state, StateEntity::tcp_receiver, where, c.pending, c.ce, c.ack_ps, c.port);
      sum += bits(ep.tcp.placed, ep.receiver_plan[i].tcp, words, where);
      sum += bits(ep.tcp.placed_last, ep.receiver_plan[i].tcp, words, ~where);
    }
    return sum;
  }

  /// A bitmap of connection c.
  HEDDLE_FN static u64 bits(const u64* all, u32 c, u32 words, u64 where) {
    u64 sum = 0;
    for (u32 w = 0; w < words; ++w) {
      const u64 set = all[static_cast<u64>(c) * words + w];
      if (set != 0) sum += hash64(0, Stream::state, StateEntity::tcp_bits, where, w, set);
    }
    return sum;
  }

  HEDDLE_FN u64 message_waits(u32 e) const {
    const Endpoints& ep = view->endpoint;
    u64 sum = 0;
    for (u32 i = ep.first_sender_plan[e]; i < ep.first_sender_plan[e + 1]; ++i) {
      const SenderPlan& plan = ep.sender_plan[i];
      if (plan.connection != kNone) continue;
      for (u32 m = plan.first_message; m < plan.first_message + plan.messages; ++m) {
        if (ep.message.available_ps[m] == kNever)
          sum += hash64(0, Stream::state, StateEntity::message_wait, m, ep.waits.left[m], ep.waits.posted_ps[m]);
      }
    }
    return sum;
  }

  /// CTSs may have arrived for a channel end that is not active yet.
  HEDDLE_FN u64 channel_end(u32 l, u64 where) const {
    const View& v = *view;
    const ChannelEndState& channel_end = v.collective.channel_end[l];
    u64 sum = 0;
    if (channel_end.active)
      sum += hash64(0, Stream::state, StateEntity::channel_end, where, channel_end.loop, channel_end.phase,
                    channel_end.slice, channel_end.copying, channel_end.finished);
    for (u32 peer = 0; peer < (1u << v.collective.peers_log2); ++peer) {
      const SendState& send = v.collective.send[v.collective.end_of(l, peer)];
      const u32 freed = v.collective.recv[v.collective.end_of(l, peer)].freed;
      if ((freed | send.filled | send.posted) != 0)
        sum += hash64(0, Stream::state, StateEntity::peer, where, peer, freed, send.filled, send.posted);
      if ((send.granted | send.early | send.asked) != 0)
        sum += hash64(0, Stream::state, StateEntity::admitted, where, peer, send.granted, send.early, send.asked);
    }
    return sum;
  }

  HEDDLE_FN u64 program(u32 e, u64 where) const {
    const Programs& p = view->collective.programs;
    if (p.gpu[e].program == kNone || !p.state[e].begun) return 0;
    u64 sum = hash64(0, Stream::state, StateEntity::program, where, p.state[e].iteration, p.state[e].compute_ps);
    for (u32 g = 0; g < kGroups; ++g) sum = absorb(sum, static_cast<u64>(p.state[e].waited_ps[g]));
    for (u32 s = 0; s < p.program[p.gpu[e].program].streams; ++s) {
      const StreamState& stream = p.stream[p.gpu[e].first_stream + s];
      sum += hash64(0, Stream::state, StateEntity::stream, where | s, stream.done, stream.begun, stream.target,
                    stream.when_ps);
    }
    return sum;
  }

  HEDDLE_FN u64 batches(u32 e, u64 where) const {
    const Programs& p = view->collective.programs;
    const MessageWaits& waits = view->endpoint.waits;
    u64 sum = 0;
    for (u32 s = 0; s < kBatchSeries; ++s) {
      if (p.gpu[e].program != kNone && p.state[e].posted[s] != 0)
        sum += hash64(0, Stream::state, StateEntity::batch, where | s, p.state[e].posted[s], p.state[e].ended[s]);
    }
    for (u32 c = p.first_client[e]; c < p.first_client[e + 1]; ++c) {
      const u32 first = p.series_of_client(c).first;
      for (u32 b = first; b < first + p.taken[c]; ++b) {
        sum += hash64(0, Stream::state, StateEntity::batch, p.handed_ps[b], b, waits.left[waits.messages + b],
                      waits.posted_ps[waits.messages + b]);
      }
    }
    return sum;
  }

  HEDDLE_FN static u64 low_timer(const LowTimer& timer, u64 where) {
    const u32 left = timer.until - timer.again;
    if (timer.rtt_ps == 0 && !timer.timing && timer.lows == 0 && left == 0) return 0;
    return hash64(0, Stream::state, StateEntity::low_timer, where, timer.rtt_ps, timer.timing ? timer.timed_ps : -1,
                  timer.timing ? timer.timed_psn : 0, timer.lows, left != 0 ? timer.again : 0, left);
  }

  HEDDLE_FN u64 repeats(u32 sender, u64 where) const {
    const u32 words = view->settings.roce.reorder_window_packets / 64;
    const u64* set = view->endpoint.repeat + static_cast<u64>(sender) * words;
    u64 sum = 0;
    for (u32 w = 0; w < words; ++w) {
      if (set[w] != 0) sum += hash64(0, Stream::state, StateEntity::repeats, where, w, set[w]);
    }
    return sum;
  }

  HEDDLE_FN u64 placed(u32 receiver, u64 where) const {
    const u32 words = view->settings.roce.reorder_window_packets / 64;
    const u64 first = static_cast<u64>(receiver) * words;
    u64 sum = hash64(0, Stream::state, StateEntity::placed, where, view->endpoint.seen_end[receiver]);
    for (u32 w = 0; w < words; ++w) {
      const u64 set = view->endpoint.placed[first + w], last = view->endpoint.placed_last[first + w];
      if (set != 0) sum += hash64(0, Stream::state, StateEntity::placed, where, w, set, last);
    }
    return sum;
  }

  HEDDLE_FN u64 control(u32 sender, u64 where, const NicLine& line) const {
    if (now_ps >= kNever) return 0;  // after the end of the run no sender is paced
    return CongestionControls::visit(view->settings.congestion.number, [&](auto tag) {
      using Control = typename decltype(tag)::Control;
      const ControlArrays<Control>& control = view->endpoint.control.of<Control>();
      if (!control.state[sender].started()) return u64{0};
      const u64 h = hash64(0, Stream::state, StateEntity::control, where);
      return Control(*control.settings, control.state[sender], line).digest(h, now_ps);
    });
  }
};

}  // namespace heddle
