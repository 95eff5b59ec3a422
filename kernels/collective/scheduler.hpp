// The collective scheduler of one GPU: ranks enter, channel ends copy slice after slice, receivers admit senders by CTS
// (MODEL.md, 9).
#pragma once

#include "kernels/collective/admission.hpp"
#include "kernels/collective/batches.hpp"
#include "kernels/collective/nvlink.hpp"
#include "kernels/collective/programs.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

template <class Team>
class CollectiveScheduler {
 public:
  HEDDLE_FN CollectiveScheduler(const NicContext<Team>& context, const SenderSide<Team>& senders)
      : x_(context),
        v_(context.v),
        k_(context.v.collective),
        senders_(senders),
        admission_(context),
        nvlink_(context),
        programs_(context) {}

  HEDDLE_FN bool present() const { return k_.jobs != 0; }

  /// When deferred work is due, or an item arrives by NVLink.
  HEDDLE_FN TimePs next_due_ps() const { return x_.nic().work_due_ps; }

  /// Takes a CTS packet.
  HEDDLE_FN void on_cts(const Packet& cts, TimePs t) {
    if (admission_.take(cts, t)) update_senders(x_.connection(x_.sender_plan(cts.dst_qp()).connection), t);
  }

  /// Takes the answer to a CTS of receiver n.
  HEDDLE_FN void on_cts_answer(u32 n, u32 number24, bool nak, TimePs t) { admission_.on_answer(n, number24, nak, t); }

  /// The timer stage: retransmission timeouts of CTSs.
  HEDDLE_FN void time_out_ctss(TimePs t) {
    if (admission_.next_due_ps() > t) return;
    admission_.time_out(t);
    x_.find_due();
  }

  /// The stages between network arrivals and timers.
  HEDDLE_FN void complete_work(TimePs t) {
    if (x_.nic().work_due_ps > t) return;
    Gpu& gpu = x_.gpu();
    while (gpu.due_ps[kProxy] <= t) on_proxy(take(kProxy), t);
    while (gpu.due_ps[kFlush] <= t) take_in(kFlush);
    if (any_batches<Team>(x_.settings()) && gpu.due_ps[kBatch] <= t) handle_batches(x_, t);
    if (gpu.due_ps[kNvlink] <= t)
      nvlink_.arrive(t, [&](const Packet& item) { credited(x_.connection(item.w0), item.w1); });
    while (gpu.due_ps[kArrival] <= t) take_in(kArrival);
    while (gpu.due_ps[kCopy] <= t) copied(take(kCopy).w0, t);
    for (u32 posts = due_posts(t); posts != kFifos; posts = due_posts(t)) post(take(posts), t);
    if (gpu.due_ps[kMemberStart] <= t) {
      gpu.due_ps[kMemberStart] = kNever;
      x_.attend_to(kMembers);
    }
    x_.find_due();
  }

  /// The collective stage: ranks enter and finish, channel ends become active and start copies.
  HEDDLE_FN void progress(TimePs t) {
    if (!present() || x_.gpu().attention == 0) return;
    if ((x_.gpu().attention & kMembers) != 0) {
      const u32 first = k_.first_member[x_.e], end = k_.first_member[x_.e + 1];
      do {
        for (u32 m = first; m < end; ++m) progress_member(k_.member[m], t);
      } while (programs_.advance(t));
    }
    start_channel_ends(t);
    x_.gpu().attention = 0;
  }

 private:
  HEDDLE_FN Packet take(u32 delay) { return fifo_pop(v_.pool, x_.gpu().fifo[delay], x_.gpu().due_ps[delay]); }
  HEDDLE_FN void take_in(u32 delay) {
    const Packet item = take(delay);
    x_.slice_in(x_.connection(item.w0), item.w1);
  }

  /// The first FIFO of copied slices that become visible at t; kFifos when there is none.
  HEDDLE_FN u32 due_posts(TimePs t) const {
    u32 posts = kPost;
    while (posts != kFifos && x_.gpu().due_ps[posts] > t) ++posts;
    return posts;
  }

  HEDDLE_FN void update_senders(const ConnectionPlan& c, TimePs t) {
    for (u32 i = 0; i < c.qps; ++i) senders_.update(c.first_sender + i, t);
  }

  /// Takes a credit for a slice by NVLink; a slice that the switch multicasts needs a credit of every receiver.
  HEDDLE_FN void credited(const ConnectionPlan& c, u32 slice) {
    SendState& send = k_.send[c.send_end];
    u8& credits = send.parts_left[slice % kMaxSlots];
    if (c.in_switch == InSwitch::multicasts && ++credits != c.joined) return;
    credits = 0;
    if (static_cast<i32>(slice + 1 - send.granted) > 0) send.granted = slice + 1;
    x_.touch(k_.channel_end_of(c.send_end));
  }

  HEDDLE_FN void on_proxy(const Packet& item, TimePs t) {
    const u32 slice = item.w2;
    const ConnectionPlan c = x_.connection(item.w1);
    switch (static_cast<ProxyTask>(item.w0)) {
      case ProxyTask::slice_acked:
        slice_acked(c, slice, t);
        break;
      case ProxyTask::send_cts:
        admission_.send_cts(c, slice, t);
        break;
      case ProxyTask::slice_posted:
        k_.send[c.send_end].posted = slice + 1;
        admission_.note_posted(c.send_end, slice, t);
        update_senders(c, t);
        break;
    }
  }

  HEDDLE_FN void slice_acked(const ConnectionPlan& c, u32 slice, TimePs t) {
    const u32 l = k_.channel_end_of(c.send_end);
    const ChannelEndPlan plan = x_.channel_end_plan(l);
    SendState& send = k_.send[c.send_end];
    set_bit(send.busy, slice, false);
    if (--k_.member[plan.member].busy_slots == 0) x_.attend_to(kMembers);
    if (!plan.relays) return x_.touch(l);
    RecvState& recv = k_.recv[k_.end_of(l, 0)];
    for (; recv.freed != send.filled && !has_bit(send.busy, recv.freed); grant(plan.recv.connection[0], t))
      ++recv.freed;
  }

  HEDDLE_FN static void set_bit(u8& bits, u32 slice, bool value) {
    const u32 bit = 1u << (slice % kMaxSlots);
    bits = static_cast<u8>(value ? bits | bit : bits & ~bit);
  }
  HEDDLE_FN static bool has_bit(u8 bits, u32 slice) { return (bits >> (slice % kMaxSlots)) & 1; }

  HEDDLE_FN const SliceSchedule& schedule_of(const CollectiveStep& step, u32 connection) const {
    return step.connections_per_schedule == 0 ? step.schedule : k_.schedule_of(step, x_.connection(connection));
  }

  HEDDLE_FN const CollectiveStep& step_of(const Member& m) const {
    return k_.step[k_.job[m.job].first_step + m.current];
  }

  HEDDLE_FN static bool receives(const CollectiveStep& step, const ChannelEndPlan& plan,
                                 const ChannelEndState& channel_end) {
    return !plan.recv.none() && (step.phases == 1 || channel_end.phase > 0);
  }
  HEDDLE_FN static bool sends(const CollectiveStep& step, const ChannelEndPlan& plan,
                              const ChannelEndState& channel_end) {
    return !plan.send.none() && (step.phases == 1 || channel_end.phase + 1 < step.phases);
  }

  /// Calls f(connection, index of the channel end's end of it) for each of these peers, in order.
  template <class F>
  HEDDLE_FN void each_peer(u32 channel_end, const Peers& peers, const F& f) const {
    for (u32 i = 0; i < kMaxPeers && peers.connection[i] != kNone; ++i)
      f(peers.connection[i], k_.end_of(channel_end, i));
  }

  /// A copy is done: its receive slots become free, its send slots full.
  HEDDLE_FN void copied(u32 l, TimePs t) {
    const ChannelEndPlan plan = x_.channel_end_plan(l);
    ChannelEndState& channel_end = k_.channel_end[l];
    Member& member = k_.member[plan.member];
    const CollectiveStep& step = step_of(member);
    channel_end.copying = false;
    if (receives(step, plan, channel_end)) {
      each_peer(l, plan.recv, [&](u32 connection, u32 end) {
        RecvState& recv = k_.recv[end];
        set_bit(recv.in, recv.freed++, false);
        grant(connection, t);
      });
    }
    if (sends(step, plan, channel_end)) {
      each_peer(l, plan.send, [&](u32 connection, u32 end) {
        const ConnectionPlan c = x_.connection(connection);
        SendState& send = k_.send[end];
        const u32 slice = send.filled++, bytes = slice_bytes(k_.schedule_of(step, c), slice - send.base);
        x_.post_later(step.protocol, c, connection, slice, moved_bytes(bytes), t);
      });
    }
    advance(step, member, plan, channel_end);
    x_.touch(l);
  }

  /// A copied slice becomes visible: it leaves by NVLink, or the proxy is notified.
  HEDDLE_FN void post(const Packet& item, TimePs t) {
    const ConnectionPlan c = x_.connection(item.w0);
    if (c.link == kNone) return x_.later(ProxyTask::slice_posted, item.w0, item.w1, t);
    nvlink_.transfer(c, item.w0, item.w1, item.w2, t);
  }

  /// Moves a channel end to its next operation.
  HEDDLE_FN void advance(const CollectiveStep& step, Member& member, const ChannelEndPlan& plan,
                         ChannelEndState& channel_end) {
    // Where slice schedules differ, a channel end has one connection, and a loop is a slice.
    const SliceSchedule& schedule = schedule_of(step, (plan.recv.none() ? plan.send : plan.recv).connection[0]);
    const u32 full_loops = step.connections_per_schedule == 0 ? step.full_loops : schedule.full;
    const u32 slices = channel_end.loop < full_loops ? step.slices_full : step.slices_tail;
    if (++channel_end.slice == slices) {
      channel_end.slice = 0;
      if (++channel_end.phase == step.phases) {
        channel_end.phase = 0;
        ++channel_end.loop;
      }
    }
    if (channel_end.loop < full_loops) return;
    if (channel_end.loop == full_loops && schedule.total > schedule.full) return;
    finish_channel_end(member, channel_end);
    if (plan.recv.none()) ++member.send_finished;
    if (plan.send.none()) ++member.recv_finished;
  }

  HEDDLE_FN void finish_channel_end(Member& member, ChannelEndState& channel_end) {
    channel_end.finished = true;
    x_.attend_to(kMembers);
    ++member.channel_ends_finished;
  }

  /// Admits the sender of a connection (or all senders that the switch reduces) to every free receive slot.
  HEDDLE_FN void grant(u32 connection, TimePs t) {
    const ConnectionPlan c = x_.connection(connection);
    RecvState& recv = k_.recv[c.recv_end];
    const CollectiveStep& step = k_.step[recv.step];
    const u32 end = k_.schedule_of(step, c).total + step.ahead;
    while (recv.granted + c.slices_per_cts - recv.freed <= step.slots && recv.granted - recv.base < end) {
      const u32 slice = recv.granted;
      recv.granted += c.slices_per_cts;
      if (c.link != kNone) {
        credit(c, connection, slice, t);
        continue;
      }
      for (u32 i = 0; i < c.slices_per_cts; ++i)
        recv.parts_left[(slice + i) % kMaxSlots] = static_cast<u8>(parts_of(c));
      x_.later(ProxyTask::send_cts, connection, slice, t);
    }
  }

  HEDDLE_FN void credit(const ConnectionPlan& c, u32 connection, u32 slice, TimePs t) {
    if (c.in_switch != InSwitch::reduces) return nvlink_.credit(c.link, connection, slice, t);
    k_.recv[c.recv_end].parts_left[slice % kMaxSlots] = static_cast<u8>(c.joined);
    for (u32 i = c.first_joined; i < c.first_joined + c.joined; ++i) nvlink_.credit(x_.connection(i).link, i, slice, t);
  }

  HEDDLE_FN void progress_member(Member& m, TimePs t) {
    const JobPlan& job = k_.job[m.job];
    for (;;) {
      if (m.entered) {
        if (!m.launched && !launch(m, t)) return;
        if (m.channel_ends_finished != channel_ends_of(m).count || m.busy_slots != 0 ||
            m.composed_ended < m.composed_entered)
          break;
        finish(m, t);
      }
      if (m.current == m.released) return;
      const TimePs start = step_of(m).start_ps;
      if (start > t) return x_.look_at(start);
      enter(m, job, t);
    }
    if (step_of(m).window != 0) activate(m, step_of(m).window, t);
  }

  /// Makes the channel ends of the entered collective active once its launch latency has passed.
  HEDDLE_FN bool launch(Member& m, TimePs t) {
    if (m.launch_ps > t) {
      x_.look_at(m.launch_ps);
      return false;
    }
    m.launched = true;
    if (step_of(m).window != 0) return true;
    const GroupChannelEnds channel_ends = channel_ends_of(m);
    for (u32 l = channel_ends.first; l < channel_ends.first + channel_ends.count; ++l) make_active(m, l, t);
    return true;
  }

  /// The channel ends that take part in the member's current collective.
  HEDDLE_FN GroupChannelEnds channel_ends_of(const Member& m) const {
    return k_.group_channel_ends[m.first_group + step_of(m).group];
  }

  HEDDLE_FN void finish(Member& m, TimePs t) {
    const u32 id = step_of(m).id;
    CollectiveOutcome& log = k_.log[id];
    global_min(log.first_finish_ps, t);
    global_max(log.last_finish_ps, t);
    global_add(log.ranks_finished, 1);
    x_.team_emit(x_.event(EventKind::rank_finished, t, (static_cast<u64>(id) << 32) | m.rank));
    x_.team.add(x_.team.tally().ranks_finished, u64{1});
    x_.completed(t);
    m.entered = false;
    ++m.current;
  }

  HEDDLE_FN void enter(Member& m, const JobPlan& job, TimePs t) {
    const CollectiveStep& step = k_.step[job.first_step + m.current];
    m.entered = true;
    m.launched = false;
    m.launch_ps = t + step.launch_latency_ps;
    m.composed_entered += step.composed ? 1 : 0;
    m.channel_ends_finished = m.send_finished = m.recv_finished = 0;
    m.send_active = m.recv_active = m.send_cursor = m.recv_cursor = 0;
    global_min(k_.log[step.id].first_enter_ps, t);
    global_max(k_.log[step.id].last_enter_ps, t);
    x_.team_emit(x_.event(EventKind::rank_entered, t, (static_cast<u64>(step.id) << 32) | m.rank));
  }

  /// Until this call a channel end has the state in which the last collective of its group left it: finished.
  HEDDLE_FN void make_active(const Member& m, u32 l, TimePs t) {
    const u32 step = k_.job[m.job].first_step + m.current;
    const ChannelEndPlan plan = x_.channel_end_plan(l);
    if (x_.pairs.present() && m.current == 0) PairsRank(x_.pairs).charge_channel_end(l);
    k_.channel_end[l] = ChannelEndState{};
    k_.channel_end[l].active = true;
    x_.touch(l);
    each_peer(l, plan.send, [&](u32, u32 end) {
      k_.send[end].step = step;
      k_.send[end].base = k_.send[end].filled;
    });
    each_peer(l, plan.recv, [&](u32 connection, u32 end) {
      k_.recv[end].step = step;
      k_.recv[end].base = k_.recv[end].freed;
      grant(connection, t);
    });
  }

  /// Point to point: makes the first (finished + window) channel ends of each direction active, and all that relay,
  /// which come first.
  HEDDLE_FN void activate(Member& m, u32 window, TimePs t) {
    const GroupChannelEnds channel_ends = channel_ends_of(m);
    for (u32 l = channel_ends.first + m.send_cursor;
         l < channel_ends.first + channel_ends.count && m.send_active < m.send_finished + window; ++l) {
      ++m.send_cursor;
      if (!x_.channel_end_sends(l)) continue;
      if (!x_.channel_end_relays(l)) ++m.send_active;
      make_active(m, l, t);
    }
    for (u32 l = channel_ends.first + m.recv_cursor;
         l < channel_ends.first + channel_ends.count && m.recv_active < m.recv_finished + window; ++l) {
      ++m.recv_cursor;
      if (x_.channel_end_sends(l)) continue;
      ++m.recv_active;
      make_active(m, l, t);
    }
  }

  /// Visits the channel ends that an event has touched, in order: all channel ends of a member before those of the next
  /// member.
  HEDDLE_FN void start_channel_ends(TimePs t) {
    u64 *words = x_.dirty_words, *groups = words + x_.channel_end_words;
    for (u32 g = 0; g * 64 < x_.channel_end_words; ++g) {
      for (u64 left = groups[g]; left != 0; left &= left - 1) {
        const u32 w = g * 64 + lowest_bit(left), base = x_.first_channel_end;
        u64 due = words[w];
        words[w] = 0;
        for (; due != 0; due &= due - 1) try_start(base + w * 64 + lowest_bit(due), t);
      }
      groups[g] = 0;
    }
  }

  /// Whether every peer has sent the slice that the channel end receives next; `index` is its index in the collective.
  HEDDLE_FN bool all_in(u32 l, const Peers& peers, u32& index) const {
    bool in = true;
    each_peer(l, peers, [&](u32, u32 end) {
      const RecvState& recv = k_.recv[end];
      in = in && has_bit(recv.in, recv.freed);
      index = recv.freed - recv.base;
    });
    return in;
  }

  /// Whether every peer has room for the slice that the channel end sends next.
  HEDDLE_FN bool all_free(const CollectiveStep& step, u32 l, const Peers& peers, u32& index) const {
    bool room = true;
    each_peer(l, peers, [&](u32 connection, u32 end) {
      const SendState& send = k_.send[end];
      index = send.filled - send.base;
      room = room && (x_.connection(connection).link == kNone ? !has_bit(send.busy, send.filled - step.slots)
                                                              : static_cast<i32>(send.granted - send.filled) > 0);
    });
    return room;
  }

  /// Takes the send slots of connections over the network.
  HEDDLE_FN void take_slots(u32 l, const Peers& peers, Member& member) const {
    each_peer(l, peers, [&](u32 connection, u32 end) {
      const ConnectionPlan c = x_.connection(connection);
      if (c.link != kNone) return;
      SendState& send = k_.send[end];
      set_bit(send.busy, send.filled, true);
      send.parts_left[send.filled % kMaxSlots] = static_cast<u8>(parts_of(c));
      ++member.busy_slots;
    });
  }

  /// The proxy is told of every slice that has come by NVLink. Its buffer is the receive slot and the send slot: it is
  /// free when the slice is acknowledged. Also on a ring it passes on all slices of its connections.
  HEDDLE_FN void relay(u32 l, const ChannelEndPlan& plan, Member& member, const CollectiveStep& step, TimePs t) {
    ChannelEndState& channel_end = k_.channel_end[l];
    RecvState& recv = k_.recv[k_.end_of(l, 0)];
    SendState& send = k_.send[k_.end_of(l, 0)];
    while (!channel_end.finished && has_bit(recv.in, send.filled)) {
      set_bit(recv.in, send.filled, false);
      take_slots(l, plan.send, member);
      x_.later(ProxyTask::slice_posted, plan.send.connection[0], send.filled++, t);
      channel_end.loop = send.filled - send.base;
      if (channel_end.loop == schedule_of(step, plan.send.connection[0]).total) finish_channel_end(member, channel_end);
    }
  }

  /// Starts the channel end's next operation if its slices are in and the next slots are free.
  HEDDLE_FN void try_start(u32 l, TimePs t) {
    ChannelEndState& channel_end = k_.channel_end[l];
    if (!channel_end.active || channel_end.copying || channel_end.finished) return;
    const ChannelEndPlan plan = x_.channel_end_plan(l);
    Member& member = k_.member[plan.member];
    const CollectiveStep& step = step_of(member);
    if (plan.relays) return relay(l, plan, member, step, t);
    u32 index = 0;
    if (receives(step, plan, channel_end) && !all_in(l, plan.recv, index)) return;
    if (sends(step, plan, channel_end)) {
      if (!all_free(step, l, plan.send, index)) return;
      take_slots(l, plan.send, member);
    }
    Gpu& gpu = x_.gpu();
    const TimePs start = gpu.copy_free_ps > t ? gpu.copy_free_ps : t;
    const Peers& peers = sends(step, plan, channel_end) ? plan.send : plan.recv;
    const u32 bytes = moved_bytes(slice_bytes(schedule_of(step, peers.connection[0]), index));
    const u32 speed = programs_.computes() ? k_.copy_computing_ps_per_byte_q16 : k_.copy_ps_per_byte_q16;
    gpu.copy_free_ps = start + ser_ps(bytes, speed);
    const TimePs by_channel = t + ser_ps(bytes, step.channel_ps_per_byte_q16);
    channel_end.copying = true;
    x_.insert(kCopy, Packet{l, 0, 0, 0}, gpu.copy_free_ps > by_channel ? gpu.copy_free_ps : by_channel);
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Collectives& k_;
  const SenderSide<Team>& senders_;
  Admission<Team> admission_;
  NvlinkSide<Team> nvlink_;
  ProgramSide<Team> programs_;
};

}  // namespace heddle
