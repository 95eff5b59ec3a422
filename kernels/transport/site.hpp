// One endpoint during one tick: what its parts (sender, receiver, collective library) share.
#pragma once

#include "kernels/fabric/queue.hpp"
#include "kernels/outcome/failed_qp.hpp"
#include "kernels/state/emit.hpp"
#include "kernels/state/packet.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Work that the host's proxy does later, in the order of its causes.
enum class ProxyTask : u32 { slice_acked = 0, send_cts = 1, slice_posted = 2 };

static_assert(kReceivingEnd >= kMaxQpsPerEndpoint, "numbers of sending and receiving queue pairs are told apart");

template <class Team>
struct Site {
  const Team& team;
  const View& v;
  u32 e;     // local endpoint
  u32 link;  // its NIC's egress
  u32 parity;
  Nic& own_nic;
  PairsRank pairs;
  TimePs first_arrival_ps = kNever;  // of what was sent in this tick, at the switch
  TimePs work_due_ps = kNever;       // nothing that was put off is due before, as far as it was put off in this tick

  HEDDLE_FN Nic& nic() const { return own_nic; }
  HEDDLE_FN Gpu& gpu() const { return v.collective.gpu[e]; }
  HEDDLE_FN EndpointId id() const { return v.endpoint.id[e]; }
  HEDDLE_FN const Settings& settings() const { return v.settings; }

  HEDDLE_FN SenderPlan sender_plan(u32 number) const { return heddle::sender_plan(v, pairs, e, number); }
  HEDDLE_FN ReceiverPlan receiver_plan(u32 number) const { return heddle::receiver_plan(v, pairs, e, number); }
  HEDDLE_FN LanePlan lane_plan(u32 lane) const { return heddle::lane_plan(v, pairs, e, lane); }
  HEDDLE_FN bool lane_sends(u32 lane) const {
    return pairs.present() ? pairs.sends(lane) : !lane_plan(lane).send.none();
  }
  HEDDLE_FN ConnectionPlan connection(u32 number) const { return heddle::connection_plan(v, pairs, number); }

  HEDDLE_FN Event event(EventKind kind, TimePs t, u64 value, u32 traffic_class = 0) const {
    return {t, value, id(), 0, static_cast<u8>(traffic_class), kind, 0};
  }

  HEDDLE_FN void team_emit(const Event& event) const { emit(team, v, event); }

  /// The collective stage has another look at `due`.
  HEDDLE_FN void look_at(TimePs due) {
    if (due < gpu().start_due_ps) gpu().start_due_ps = due;
    hasten(due);
  }

  /// Puts off work until `due`.
  HEDDLE_FN void push(Fifo& fifo, const Packet& item, TimePs due) {
    fifo_push(v.pool, fifo, item, due);
    hasten(due);
  }
  HEDDLE_FN void hasten(TimePs due) {
    if (due < work_due_ps) work_due_ps = due;
  }

  /// A message, a rank's collective or a GPU's iteration is done.
  HEDDLE_FN void completed(TimePs t) const {
    if (t > team.tally().last_completion_ps) team.raise(team.tally().last_completion_ps, t);
  }

  /// A retransmission timeout of queue pair `number`, of the CTSs of a receiving one kReceivingEnd + number. False: it
  /// was one too many, and the run ends (MODEL.md, 10.3).
  HEDDLE_FN bool try_again(u8& tries, u32 number, TimePs t) const {
    if (tries < settings().roce.rto_tries) {
      ++tries;
      team_emit(event(EventKind::timeout, t, number));
      return true;
    }
    tries = kFailed;
    if (nic().failed_qp == kNone) {
      nic().failed_qp = number;
      nic().failed_ps = t;
    }
    global_store(v.failure->kind, kFailureNew);
    return false;
  }

  /// Puts a packet at the end of NIC queue `c`.
  HEDDLE_FN u32 append(u32 c, const Packet& packet, TimePs t) const {
    const u32 q = link * settings().classes + c;
    Queue& queue = v.queue[q];
    make_room(v, q, queue, 1, parity);
    const u32 entry = queue.ring.at(queue.tail);
    v.pool.packet[entry] = packet;
    v.pool.time_ps[entry] = t;
    ++queue.tail;
    return entry;
  }

  HEDDLE_FN void later(ProxyTask task, u32 connection, u32 slice, TimePs t) {
    push(gpu().proxy, Packet{static_cast<u32>(task), connection, slice, 0}, t + settings().roce.proxy_latency_ps);
  }

  /// A slice has been received: the proxy notices it and has it flushed.
  HEDDLE_FN void flush_later(u32 connection, u32 slice, TimePs t) {
    push(gpu().flushes, Packet{connection, slice, 0, 0},
         t + settings().roce.proxy_latency_ps + v.collective.flush_latency_ps);
  }

  /// A slice has been copied: others see it when its fence is done.
  HEDDLE_FN void post_later(Protocol protocol, const ConnectionPlan& c, u32 connection, u32 slice, u32 bytes,
                            TimePs t) {
    const u32 p = c.in_switch == InSwitch::nothing ? static_cast<u32>(protocol) : kSwitchPost;
    push(gpu().posts[p], Packet{connection, slice, bytes, 0}, t + v.collective.post_latency_ps[p]);
  }

  /// The collective stage has a look at this lane.
  HEDDLE_FN void touch(u32 lane) const {
    const u32 i = lane - v.collective.first_lane[e], w = i / 64;
    dirty_words()[w] |= u64{1} << (i % 64);
    dirty_groups()[w / 64] |= u64{1} << (w % 64);
    gpu().attention = true;
  }
  /// Lanes to look at, a bit each.
  HEDDLE_FN u64* dirty_words() const { return v.collective.dirty + v.collective.first_dirty_word[e]; }
  /// Bit per word that is not zero.
  HEDDLE_FN u64* dirty_groups() const {
    return dirty_words() + (v.collective.first_lane[e + 1] - v.collective.first_lane[e] + 63) / 64;
  }

  /// The GPU sees a received slice.
  HEDDLE_FN void slice_in(const ConnectionPlan& c, u32 slice) const {
    u8& in = v.collective.recv[c.recv_end].in;
    in = static_cast<u8>(in | (1u << (slice % kMaxSlots)));
    touch(v.collective.lane_of(c.recv_end));
  }
};

}  // namespace heddle
