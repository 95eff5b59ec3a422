// The state of one endpoint during one tick that its parts (sender, receiver, collective scheduler) share.
#pragma once

#include "kernels/fabric/queue.hpp"
#include "kernels/outcome/failed_qp.hpp"
#include "kernels/state/emit.hpp"
#include "kernels/state/packet.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Delayed work of the host's proxy, in the order of its causes.
enum class ProxyTask : u32 { slice_acked = 0, send_cts = 1, slice_posted = 2 };

static_assert(kReceivingEnd >= kMaxQpsPerEndpoint, "numbers of sending and receiving queue pairs do not overlap");

/// A NicContext never changes and holds values, not references: a GPU's compiler keeps nothing in registers that a call
/// may access by reference. Rare functions, which are calls, get a copy.
template <class Team>
struct NicContext {
  Team team;
  const View& v;
  u32 e;     // local endpoint
  u32 link;  // the egress of its NIC's first port
  u32 parity;
  Nic& own_nic;
  PairsRank pairs;
  // Set only with collectives.
  Gpu* own_gpu = nullptr;
  u64* dirty_words =
      nullptr;  // a bit per channel end to visit; behind these channel_end_words words a bit per word that is not zero
  u32 first_channel_end = 0, channel_end_words = 0;

  HEDDLE_FN NicContext(const Team& of, const View& view, u32 endpoint, u32 tick_parity)
      : team(of),
        v(view),
        e(endpoint),
        link(view.first_link[view.switches + endpoint]),
        parity(tick_parity),
        own_nic(view.endpoint.nic[endpoint]),
        pairs(view, endpoint) {
    const Collectives& k = v.collective;
    if (k.jobs == 0) return;
    own_gpu = k.gpu + e;
    dirty_words = k.dirty + k.first_dirty_word[e];
    first_channel_end = k.first_channel_end[e];
    channel_end_words = (k.first_channel_end[e + 1] - first_channel_end + 63) / 64;
  }

  HEDDLE_FN Nic& nic() const { return own_nic; }
  HEDDLE_FN NicPort& port(u32 number) const { return Team::kPlain ? own_nic.first_port : port_of_nic(v, e, number); }
  HEDDLE_FN u32 ports() const { return Team::kPlain ? 1 : count_ports(v, e); }
  HEDDLE_FN u32 address(u32 port) const { return address_of<Team>(settings(), id(), port); }
  /// The port of an address of this NIC.
  HEDDLE_FN u32 port_of(u32 address) const { return Team::kPlain ? 0 : address - this->address(0); }

  /// When the service of ports of any NIC changes next, or kNever.
  HEDDLE_FN TimePs next_ports_change_ps() const {
    return nic().port_instant == v.failing.port_instants ? kNever : v.failing.port_instant[nic().port_instant];
  }

  /// The ports in service between this NIC and that of endpoint `to` at t, a bit for each: all, if none is (MODEL.md,
  /// 8.10).
  HEDDLE_FN u32 ports_in_service(EndpointId to, TimePs t) const {
    const u32 all = (1u << ports()) - 1;
    if (!settings().ports_fail) return all;
    const NicContext copy = *this;
    const u32 in = all & ~copy.ports_out(to, t);
    return in != 0 ? in : all;
  }

  /// The first of the ports `in` from the home port of queue pair `sender_number` on.
  HEDDLE_FN u32 port_of_qp(u32 sender_number, u32 in) const {
    const u32 home = home_port(sender_number, ports()), above = in >> home;
    return above != 0 ? home + lowest_bit(above) : lowest_bit(in);
  }

  HEDDLE_FN Gpu& gpu() const { return *own_gpu; }
  HEDDLE_FN EndpointId id() const { return v.endpoint.id[e]; }
  HEDDLE_FN const Settings& settings() const { return v.settings; }

  HEDDLE_FN SenderPlan sender_plan(u32 number) const { return heddle::sender_plan(v, pairs, e, number); }
  HEDDLE_FN ReceiverPlan receiver_plan(u32 number) const { return heddle::receiver_plan(v, pairs, e, number); }
  HEDDLE_FN ChannelEndPlan channel_end_plan(u32 channel_end) const {
    return heddle::channel_end_plan(v, pairs, e, channel_end);
  }
  HEDDLE_FN bool channel_end_sends(u32 channel_end) const {
    return pairs.present() ? pairs.sends(channel_end) : !channel_end_plan(channel_end).send.none();
  }
  HEDDLE_FN bool channel_end_relays(u32 channel_end) const {
    return !pairs.present() && channel_end_plan(channel_end).relays;
  }
  HEDDLE_FN ConnectionPlan connection(u32 number) const { return heddle::connection_plan(v, pairs, number); }

  HEDDLE_FN Event event(EventKind kind, TimePs t, u64 value, u32 traffic_class = 0) const {
    return {t, value, id(), 0, static_cast<u8>(traffic_class), kind, 0};
  }

  HEDDLE_FN void team_emit(const Event& event) const { emit(team, v, event); }

  /// Makes the collective stage run again at `due`.
  HEDDLE_FN void look_at(TimePs due) const { hasten(kMemberStart, due); }

  /// Delays work until `due`.
  HEDDLE_FN void push(u32 delay, const Packet& item, TimePs due) const {
    fifo_push(v.pool, gpu().fifo[delay], gpu().due_ps[delay], item, due);
    if (due < nic().work_due_ps) nic().work_due_ps = due;
  }
  /// The same where what was pushed before may be due later.
  HEDDLE_FN void insert(u32 delay, const Packet& item, TimePs due) const {
    fifo_insert(v.pool, gpu().fifo[delay], gpu().due_ps[delay], item, due);
    if (due < nic().work_due_ps) nic().work_due_ps = due;
  }
  HEDDLE_FN void hasten(u32 delay, TimePs due) const {
    if (due < gpu().due_ps[delay]) gpu().due_ps[delay] = due;
    if (due < nic().work_due_ps) nic().work_due_ps = due;
  }

  /// Makes endpoint `to`, a GPU or its helper, look at its batches at `due`.
  HEDDLE_FN void note_batch(u32 to, TimePs due) const {
    if (to == e) return hasten(kBatch, due);
    wake(v, v.switches + to, 0, parity ^ 1, due);
  }

  /// Recomputes the due time of the first delayed work after some was done.
  HEDDLE_FN void find_due() const { nic().work_due_ps = gpu().first_due_ps(); }

  /// Notes at t that a message, a rank's collective or a GPU's iteration is complete.
  HEDDLE_FN void completed(TimePs t) const {
    if (t > team.tally().last_completion_ps) team.raise(team.tally().last_completion_ps, t);
  }

  /// Counts one of at most `most` retransmission timeouts of queue pair `number` (kReceivingEnd + number for CTSs of a
  /// receiver). Returns false when the tries are used up, which ends the run (MODEL.md, 10.3).
  HEDDLE_FN bool try_again(u8& tries, u32 most, u32 number, TimePs t) const {
    if (tries < most) {
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

  /// Appends a control packet to queue `c` of the port of its source.
  HEDDLE_FN void append_control(u32 c, const Packet& packet, TimePs t) const {
    const u32 from = port_of(packet.src());
    append(from, c, packet, t);
    port(from).control_classes |= 1u << c;
  }

  /// Appends a packet to queue `c` of a port.
  HEDDLE_FN void append(u32 port, u32 c, const Packet& packet, TimePs t) const {
    const u32 q = (link + port) * classes_of<Team>(settings()) + c;
    Queue& queue = v.queue[q];
    if (make_room(v, q, queue, 1, parity)) nic().published = true;
    const u32 entry = queue.ring.at(queue.tail);
    v.pool.packet[entry] = packet;
    v.pool.time_ps[entry] = t;
    ++queue.tail;
  }

  /// Leaves it to the proxy, which takes its time for each thing that it posts, but not to notice ACKs.
  HEDDLE_FN void later(ProxyTask task, u32 connection, u32 slice, TimePs t) const {
    TimePs due = t + settings().roce.proxy_latency_ps;
    if (task != ProxyTask::slice_acked) {
      TimePs& free = gpu().proxy_free_ps;
      due = due > free ? due : free;
      free = due + settings().roce.proxy_service_ps;
    }
    insert(kProxy, Packet{static_cast<u32>(task), connection, slice, 0}, due);
  }

  /// A slice has been received: the proxy will notice it and flush it.
  HEDDLE_FN void flush_later(u32 connection, u32 slice, TimePs t) const {
    push(kFlush, Packet{connection, slice, 0, 0}, t + settings().roce.proxy_latency_ps + v.collective.flush_latency_ps);
  }

  /// A slice has been copied: it becomes visible when its fence is complete.
  HEDDLE_FN void post_later(Protocol protocol, const ConnectionPlan& c, u32 connection, u32 slice, u32 bytes,
                            TimePs t) const {
    const u32 p = c.in_switch == InSwitch::nothing ? static_cast<u32>(protocol) : kSwitchPost;
    push(kPost + p, Packet{connection, slice, bytes, 0}, t + v.collective.post_latency_ps[p]);
  }

  /// The ports that are out of service at either end at t, a bit for each.
  HEDDLE_RARE_FN u32 ports_out(EndpointId to, TimePs t) const {
    return ports_out_of(id(), t).own | ports_out_of(to, t).others;
  }
  HEDDLE_FN PortsOut ports_out_of(EndpointId of, TimePs t) const {
    const u32 first = v.failing.first_ports_out[of];
    u32 later = first;  // the first entry after t
    for (u32 end = v.failing.first_ports_out[of + 1]; later != end;) {
      const u32 middle = later + (end - later) / 2;
      if (v.failing.ports_out[middle].from_ps > t) {
        end = middle;
      } else {
        later = middle + 1;
      }
    }
    return later == first ? PortsOut() : v.failing.ports_out[later - 1];
  }

  /// Makes the collective stage visit this channel end.
  HEDDLE_FN void touch(u32 channel_end) const {
    const u32 i = channel_end - first_channel_end, w = i / 64;
    dirty_words[w] |= u64{1} << (i % 64);
    dirty_words[channel_end_words + w / 64] |= u64{1} << (w % 64);
    attend_to(kChannelEnds);
  }

  /// Makes the collective stage handle kChannelEnds or kMembers.
  HEDDLE_FN void attend_to(u8 what) const { gpu().attention = static_cast<u8>(gpu().attention | what); }

  /// A received slice becomes visible to the GPU.
  HEDDLE_FN void slice_in(const ConnectionPlan& c, u32 slice) const {
    u8& in = v.collective.recv[c.recv_end].in;
    in = static_cast<u8>(in | (1u << (slice % kMaxSlots)));
    touch(v.collective.channel_end_of(c.recv_end));
  }
};

}  // namespace heddle
