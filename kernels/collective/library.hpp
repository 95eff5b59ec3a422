// The collective library at one GPU: ranks enter, lanes copy slice after slice, receivers admit senders by CTS
// (MODEL.md, 9).
#pragma once

#include "kernels/collective/admission.hpp"
#include "kernels/collective/nvlink.hpp"
#include "kernels/transport/sender.hpp"

namespace heddle {

template <class Team>
class Library {
 public:
  HEDDLE_FN Library(Site<Team>& site, SenderSide<Team>& senders)
      : x_(site), v_(site.v), k_(site.v.collective), senders_(senders), admission_(site), nvlink_(site) {}

  HEDDLE_FN bool present() const { return k_.jobs != 0; }
  HEDDLE_FN NvlinkSide<Team>& nvlink() { return nvlink_; }

  HEDDLE_FN TimePs next_due_ps() const {
    if (!present()) return kNever;
    const Gpu& gpu = x_.gpu();
    TimePs next = gpu.start_due_ps;
    for (const Fifo* fifo : {&gpu.proxy, &gpu.flushes, &gpu.posts, &gpu.copies, &gpu.arrivals}) {
      const TimePs due = fifo_due_ps(v_.pool, *fifo);
      if (due < next) next = due;
    }
    if (admission_.next_due_ps() < next) next = admission_.next_due_ps();
    const TimePs link = nvlink_.next_due_ps();
    return link < next ? link : next;
  }

  /// A CTS packet to sender n.
  HEDDLE_FN void on_cts(u32 n, u32 number24, TimePs t) {
    if (admission_.take(n, number24, t)) update_senders(x_.connection(x_.sender_plan(n).connection), t);
  }

  /// Its answer, to receiver n.
  HEDDLE_FN void on_cts_answer(u32 n, u32 number24, bool nak, TimePs t) { admission_.on_answer(n, number24, nak, t); }

  /// The timer stage: retransmission timeouts of CTSs.
  HEDDLE_FN void time_out_ctss(TimePs t) { admission_.time_out(t); }

  /// The stages between network arrivals and timers.
  HEDDLE_FN void complete_work(TimePs t) {
    if (!present()) return;
    Gpu& gpu = x_.gpu();
    while (fifo_due_ps(v_.pool, gpu.proxy) <= t) on_proxy(take(gpu.proxy), t);
    while (fifo_due_ps(v_.pool, gpu.flushes) <= t) {
      const Packet item = take(gpu.flushes);
      slice_in(x_.connection(item.w0), item.w1);
    }
    while (fifo_due_ps(v_.pool, gpu.posts) <= t) {
      const Packet item = take(gpu.posts);
      const ConnectionPlan c = x_.connection(item.w0);
      k_.send[c.send_lane].posted = item.w1 + 1;
      update_senders(c, t);
    }
    nvlink_.arrive(t, [&](const Packet& item) {
      const u32 lane = x_.connection(item.w0).send_lane;
      SendState& send = k_.send[lane];
      if (static_cast<i32>(item.w1 + 1 - send.granted) > 0) send.granted = item.w1 + 1;
      touch(lane);
    });
    while (fifo_due_ps(v_.pool, gpu.arrivals) <= t) {
      const Packet item = take(gpu.arrivals);
      slice_in(x_.connection(item.w0), item.w1);
    }
    while (fifo_due_ps(v_.pool, gpu.copies) <= t) copied(take(gpu.copies).w0, t);
    if (gpu.start_due_ps <= t) {
      gpu.start_due_ps = kNever;
      gpu.attention = true;
    }
  }

  /// The collective stage: ranks enter and finish, lanes become active and start copies.
  HEDDLE_FN void progress(TimePs t) {
    if (!present() || !x_.gpu().attention) return;
    for (u32 m = k_.first_member[x_.e]; m < k_.first_member[x_.e + 1]; ++m) {
      progress_member(k_.member[m], t);
      start_lanes(k_.member[m], t);
    }
    x_.gpu().attention = false;
  }

 private:
  HEDDLE_FN Packet take(Fifo& fifo) { return v_.pool.packet[fifo.ring.at(fifo.head++)]; }

  HEDDLE_FN void touch(u32 lane) {
    const u32 i = lane - k_.first_lane[x_.e], w = i / 64;
    dirty_words()[w] |= u64{1} << (i % 64);
    dirty_groups()[w / 64] |= u64{1} << (w % 64);
    x_.gpu().attention = true;
  }
  HEDDLE_FN u64* dirty_words() const { return k_.dirty + k_.first_dirty_word[x_.e]; }
  /// Bit per word that is not zero.
  HEDDLE_FN u64* dirty_groups() const {
    return dirty_words() + (k_.first_lane[x_.e + 1] - k_.first_lane[x_.e] + 63) / 64;
  }

  HEDDLE_FN void update_senders(const ConnectionPlan& c, TimePs t) {
    for (u32 i = 0; i < c.qps; ++i) senders_.update(c.first_sender + i, t);
  }

  HEDDLE_FN void on_proxy(const Packet& item, TimePs t) {
    const u32 slice = item.w2;
    const ConnectionPlan c = x_.connection(item.w1);
    switch (static_cast<ProxyTask>(item.w0)) {
      case ProxyTask::slice_acked:
        set_bit(k_.send[c.send_lane].busy, slice % c.slots, false);
        --k_.member[x_.lane_plan(c.send_lane).member].busy_slots;
        touch(c.send_lane);
        break;
      case ProxyTask::send_cts:
        admission_.send_cts(c, slice, t);
        break;
    }
  }

  HEDDLE_FN static void set_bit(u8& bits, u32 i, bool value) {
    bits = static_cast<u8>(value ? bits | (1u << i) : bits & ~(1u << i));
  }

  HEDDLE_FN void slice_in(const ConnectionPlan& c, u32 slice) {
    set_bit(k_.recv[c.recv_lane].in, slice % c.slots, true);
    touch(c.recv_lane);
  }

  HEDDLE_FN const CollectiveStep& step_of(const Member& m) const {
    return k_.step[k_.job[m.job].first_step + m.current];
  }

  HEDDLE_FN static bool receives(const CollectiveStep& step, const LanePlan& plan, const LaneState& lane) {
    return plan.recv != kNone && (step.phases == 1 || lane.phase > 0);
  }
  HEDDLE_FN static bool sends(const CollectiveStep& step, const LanePlan& plan, const LaneState& lane) {
    return plan.send != kNone && (step.phases == 1 || lane.phase + 1 < step.phases);
  }

  /// A copy is done: its receive slot is free, its send slot is full.
  HEDDLE_FN void copied(u32 l, TimePs t) {
    const LanePlan plan = x_.lane_plan(l);
    LaneState& lane = k_.lane[l];
    Member& member = k_.member[plan.member];
    const CollectiveStep& step = step_of(member);
    lane.copying = false;
    if (receives(step, plan, lane)) {
      const ConnectionPlan c = x_.connection(plan.recv);
      RecvState& recv = k_.recv[l];
      set_bit(recv.in, recv.freed++ % c.slots, false);
      grant(plan.recv, c, t);
    }
    if (sends(step, plan, lane)) {
      const ConnectionPlan c = x_.connection(plan.send);
      const u32 slice = k_.send[l].filled++;
      if (c.link == kNone) {
        x_.post_later(plan.send, slice, t);
      } else {
        nvlink_.transfer(c.link, plan.send, slice, moved_bytes(slice_bytes(step.law, slice - step.base)), t);
      }
    }
    advance(step, member, plan, lane);
    touch(l);
  }

  /// Moves a lane to its next operation.
  HEDDLE_FN void advance(const CollectiveStep& step, Member& member, const LanePlan& plan, LaneState& lane) {
    const u32 slices = lane.loop < step.full_loops ? step.slices_full : step.slices_tail;
    if (++lane.slice == slices) {
      lane.slice = 0;
      if (++lane.phase == step.phases) {
        lane.phase = 0;
        ++lane.loop;
      }
    }
    if (lane.loop < step.full_loops) return;
    if (lane.loop == step.full_loops && step.law.total > step.law.full) return;
    lane.finished = true;
    ++member.lanes_finished;
    if (plan.recv == kNone) ++member.send_finished;
    if (plan.send == kNone) ++member.recv_finished;
  }

  /// Admits the sender of a connection to every receive slot that is free.
  HEDDLE_FN void grant(u32 connection, const ConnectionPlan& c, TimePs t) {
    RecvState& recv = k_.recv[c.recv_lane];
    const CollectiveStep& step = k_.step[recv.step];
    while (recv.granted - recv.freed < c.slots && recv.granted - step.base < step.law.total) {
      const u32 slice = recv.granted++;
      if (c.link != kNone) {
        nvlink_.credit(c.link, connection, slice, t);
        continue;
      }
      recv.parts_left[slice % c.slots] = static_cast<u8>(parts_of(c));
      x_.later(ProxyTask::send_cts, connection, slice, t);
    }
  }

  HEDDLE_FN void progress_member(Member& m, TimePs t) {
    const JobPlan& job = k_.job[m.job];
    for (;;) {
      if (m.entered) {
        if (m.lanes_finished != m.lanes || m.busy_slots != 0) break;
        finish(m, t);
      }
      if (m.current == job.steps) return;
      const TimePs start = step_of(m).start_ps;
      if (start > t) {
        if (start < x_.gpu().start_due_ps) x_.gpu().start_due_ps = start;
        return;
      }
      enter(m, job, t);
    }
    if (job.p2p_window != 0) activate(m, job.p2p_window, t);
  }

  HEDDLE_FN void finish(Member& m, TimePs t) {
    const u32 id = step_of(m).id;
    CollectiveLog& log = k_.log[id];
    global_min(log.first_finish_ps, t);
    global_max(log.last_finish_ps, t);
    global_add(log.finished, u64{1});
    x_.team_emit(x_.event(EventKind::rank_finished, t, (static_cast<u64>(id) << 32) | m.rank));
    x_.team.add(x_.team.tally().ranks_finished, u64{1});
    x_.completed(t);
    m.entered = false;
    ++m.current;
  }

  HEDDLE_FN void enter(Member& m, const JobPlan& job, TimePs t) {
    const CollectiveStep& step = k_.step[job.first_step + m.current];
    m.entered = true;
    m.lanes_finished = m.send_finished = m.recv_finished = 0;
    m.send_active = m.recv_active = m.send_cursor = m.recv_cursor = 0;
    global_min(k_.log[step.id].first_enter_ps, t);
    global_max(k_.log[step.id].last_enter_ps, t);
    x_.team_emit(x_.event(EventKind::rank_entered, t, (static_cast<u64>(step.id) << 32) | m.rank));
    if (job.p2p_window != 0) return;
    for (u32 l = m.first_lane; l < m.first_lane + m.lanes; ++l) make_active(m, l, t);
  }

  /// Until then a lane is as the collective before has left it: finished.
  HEDDLE_FN void make_active(const Member& m, u32 l, TimePs t) {
    const u32 step = k_.job[m.job].first_step + m.current;
    const LanePlan plan = x_.lane_plan(l);
    if (x_.pairs.present() && m.current == 0) x_.pairs.charge_lane(l);
    k_.lane[l] = LaneState{};
    k_.lane[l].active = true;
    touch(l);
    if (plan.send != kNone) k_.send[l].step = step;
    if (plan.recv == kNone) return;
    k_.recv[l].step = step;
    grant(plan.recv, x_.connection(plan.recv), t);
  }

  /// Point to point: the first (finished + window) lanes of each direction are active.
  HEDDLE_FN void activate(Member& m, u32 window, TimePs t) {
    for (u32 l = m.first_lane + m.send_cursor; l < m.first_lane + m.lanes && m.send_active < m.send_finished + window;
         ++l) {
      ++m.send_cursor;
      if (!x_.lane_sends(l)) continue;
      ++m.send_active;
      make_active(m, l, t);
    }
    for (u32 l = m.first_lane + m.recv_cursor; l < m.first_lane + m.lanes && m.recv_active < m.recv_finished + window;
         ++l) {
      ++m.recv_cursor;
      if (x_.lane_sends(l)) continue;
      ++m.recv_active;
      make_active(m, l, t);
    }
  }

  HEDDLE_FN void start_lanes(const Member& m, TimePs t) {
    const u32 base = k_.first_lane[x_.e];
    u64 *words = dirty_words(), *groups = dirty_groups();
    const u32 first = m.first_lane - base, end = first + m.lanes;
    for (u32 w = first / 64; w * 64 < end; ++w) {
      const u64 group = groups[w / 64] >> (w % 64);  // from w on
      if (group == 0) {
        w |= 63;
        continue;
      }
      w += lowest_bit(group);
      if (w * 64 >= end) break;
      const u32 low = w * 64 < first ? first % 64 : 0;
      const u64 mine = (~u64{0} << low) & ((w + 1) * 64 > end ? (u64{1} << (end % 64)) - 1 : ~u64{0});
      u64 due = words[w] & mine;
      words[w] &= ~due;
      if (words[w] == 0) groups[w / 64] &= ~(u64{1} << (w % 64));
      for (; due != 0; due &= due - 1) try_start(base + w * 64 + lowest_bit(due), t);
    }
  }

  /// Starts the lane's next operation if its slice is in and the next slot is free.
  HEDDLE_FN void try_start(u32 l, TimePs t) {
    LaneState& lane = k_.lane[l];
    if (!lane.active || lane.copying || lane.finished) return;
    const LanePlan plan = x_.lane_plan(l);
    Member& member = k_.member[plan.member];
    const CollectiveStep& step = step_of(member);
    u32 index = 0;
    if (receives(step, plan, lane)) {
      const RecvState& recv = k_.recv[l];
      if (!((recv.in >> (recv.freed % x_.connection(plan.recv).slots)) & 1)) return;
      index = recv.freed - step.base;
    }
    if (sends(step, plan, lane)) {
      const ConnectionPlan c = x_.connection(plan.send);
      SendState& send = k_.send[l];
      const u32 slot = send.filled % c.slots;
      index = send.filled - step.base;
      if (c.link != kNone) {
        if (static_cast<i32>(send.granted - send.filled) <= 0) return;
      } else {
        if ((send.busy >> slot) & 1) return;
        set_bit(send.busy, slot, true);
        send.parts_left[slot] = static_cast<u8>(parts_of(c));
        ++member.busy_slots;
      }
    }
    Gpu& gpu = x_.gpu();
    const TimePs start = gpu.copy_free_ps > t ? gpu.copy_free_ps : t;
    gpu.copy_free_ps = start + ser_ps(moved_bytes(slice_bytes(step.law, index)), k_.copy_ps_per_byte_q16);
    lane.copying = true;
    fifo_push(v_.pool, gpu.copies, Packet{l, 0, 0, 0}, gpu.copy_free_ps);
  }

  Site<Team>& x_;
  const View& v_;
  const Collectives& k_;
  SenderSide<Team>& senders_;
  Admission<Team> admission_;
  NvlinkSide<Team> nvlink_;
};

}  // namespace heddle
