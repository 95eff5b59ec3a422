// A pass of one endpoint over [from, to): instant after instant, every stage in order (MODEL.md, 4.1, step 2).
#pragma once

#include "kernels/base/check.hpp"
#include "kernels/state/broken_phase.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/tick/later_stages.hpp"
#include "kernels/tick/port_pass.hpp"
#include "kernels/transport/receiver.hpp"
#include "kernels/transport/slow_nic.hpp"

namespace heddle {

/// Of any NIC; plain runs have PlainPass. The caller owns the parts and `arrivals`: a GPU's compiler keeps separate
/// objects in registers.
template <class Team>
class EndpointPass {
 public:
  HEDDLE_FN EndpointPass(const NicContext<Team>& context, const SenderSide<Team>& senders,
                         const ReceiverSide<Team>& receivers, CollectiveScheduler<Team>& scheduler,
                         SlowBuffer<Team>& slow, PortArrivals& arrivals)
      : context_(context),
        v_(context.v),
        s_(context.v.settings),
        senders_(senders),
        receivers_(receivers),
        scheduler_(scheduler),
        slow_(slow),
        arrivals_(arrivals),
        slow_present_(slow.present()) {
    for (u32 p = 0; p < ports(); ++p) port(p).set_up(p);
  }

  /// Simulates [from, to) and writes the next event to View::next_ps. Returns whether anything happened.
  HEDDLE_FN bool run(TimePs from, TimePs to) {
    TimePs end = links_fail<Team>(s_) ? take_changes(from, to) : to;  // before an epoch of shared memory begins
    now_ = from;
    slot_from_ = from;
    slow_.begin(from);
    for (u32 p = 0; p < ports(); ++p) port(p).begin();
    for (TimePs at = from;; at = now_) {
      live(at, end);
      if (end == to) break;
      now_ = end;
      end = take_changes(now_, to);
    }
    finish(to);
    return busy_;
  }

 private:
  /// Simulates [from, to), in which no link of the NIC changes.
  HEDDLE_FN void live(TimePs from, TimePs to) {
    for (u32 p = 0; p < ports(); ++p) port(p).begin_stretch(to);
    TimePs stage = next_stage_ps();
    for (;;) {
      const TimePs start = next_start_ps(stage < to ? stage : to);
      if ((stage <= start ? stage : start) >= to) return;
      if (stage <= start) {
        if (kChecked && stage < from) report_broken(v_, PhaseRule::clock_forward, node(), from, stage, from);
        now_ = stage > now_ ? stage : now_;
        stage = live_through(now_);
      } else {
        if (kChecked) port(starting_).check_start(from, now_, start);
        now_ = start;
        port(starting_).transmit(start);
        const TimePs due = senders_.next_due_ps();  // a start can bring forward nothing else
        stage = due < stage ? due : stage;
      }
      busy_ = true;
    }
  }

  HEDDLE_FN u32 ports() const { return context_.ports(); }
  HEDDLE_FN PortPass<Team> port(u32 p) { return {context_, senders_, port_[p], arrivals_.ps[p]}; }

  /// The next start of any port, if it is before `to`; `to` otherwise. Of ports that may start at once, the first does.
  HEDDLE_FN TimePs next_start_ps(TimePs to) {
    TimePs start = port(0).next_start_ps(now_, to);
    starting_ = 0;
    for (u32 p = 1; p < ports(); ++p) {
      const TimePs at = port(p).next_start_ps(now_, to);
      if (at >= start) continue;
      start = at;
      starting_ = p;
    }
    return start;
  }

  HEDDLE_FN u32 node() const { return v_.switches + context_.e; }

  /// The next time at which a stage before the egress has work.
  HEDDLE_FN TimePs next_stage_ps() {
    TimePs next = port(0).next_arrival_ps();
    for (u32 p = 1; p < ports(); ++p) next = port(p).next_arrival_ps() < next ? port(p).next_arrival_ps() : next;
    const auto consider = [&](TimePs t) { next = t < next ? t : next; };
    consider(senders_.next_due_ps());
    consider(receivers_.next_due_ps());
    consider(scheduler_.next_due_ps());
    if (slow_present_) {
      consider(slow_.next_drain_ps());
      consider(slow_.next_slot_ps(slot_from_));
    }
    return next;
  }

  /// When a link of the NIC, or the service of ports anywhere, changes next.
  HEDDLE_FN TimePs next_change_ps() {
    TimePs next = s_.ports_fail ? context_.next_ports_change_ps() : kNever;
    for (u32 p = 0; p < ports(); ++p) {
      const TimePs change = port(p).next_change_ps();
      next = change < next ? change : next;
    }
    return next;
  }

  /// Takes the changes at t, if there are any before `to`; returns when the next change is, or `to`.
  HEDDLE_FN TimePs take_changes(TimePs t, TimePs to) {
    if (t < to && next_change_ps() == t) {
      for (u32 p = 0; p < ports(); ++p) {
        if (port(p).next_change_ps() == t) port(p).change_link(t);
      }
      if (s_.ports_fail && context_.next_ports_change_ps() == t) {
        ++context_.nic().port_instant;
        senders_.ports_changed(t);
      }
      busy_ = true;
    }
    for (u32 p = 0; p < ports(); ++p) port(p).note_down();
    const TimePs next = next_change_ps();
    return next < to ? next : to;
  }

  /// Runs all stages at t except the egress, in rounds. Returns when a stage has work again.
  HEDDLE_FN TimePs live_through(TimePs t) {
    for (;;) {
      if (slow_present_) {
        if (slow_.next_slot_ps(slot_from_) <= t) slow_.sample(t);
        slot_from_ = t + 1;
        slow_.drain(t, [&](const Packet& packet) { receivers_.on_data(packet, t); });
      }
      for (u32 p = 0; p < ports(); ++p) {
        while (port(p).next_arrival_ps() <= t) receive(port(p).take_arrival(), t);
      }
      run_later_stages(t, senders_, receivers_, scheduler_);
      const TimePs next = next_stage_ps();
      if (next > t) return next;
    }
  }

  HEDDLE_FN void receive(const Packet& packet, TimePs t) {
    if (packet.kind() != PacketKind::data) return take_control_packet(packet, t, senders_, scheduler_);
    if (slow_.accept(packet, t)) receivers_.on_data(packet, t);
  }

  HEDDLE_FN void finish(TimePs to) {
    for (u32 p = 0; p < ports(); ++p) port(p).finish(to);
    v_.next_ps[node()] = next_ps(to);
    if (!busy_) return;
    if (slow_present_ || links_fail<Team>(s_)) context_.nic().published = true;
    const bool published = context_.nic().published;
    for (u32 p = 0; p < ports(); ++p) port(p).publish(published);
    wake(v_, node(), 0, context_.parity ^ 1, kWakeMarker);
  }

  /// The next event at or after `to` in the current state.
  HEDDLE_FN TimePs next_ps(TimePs to) {
    TimePs next = next_stage_ps();
    const auto consider = [&](TimePs t) { next = t < next ? t : next; };
    if (links_fail<Team>(s_)) consider(next_change_ps());
    for (u32 p = 0; p < ports(); ++p) consider(port(p).next_ps());
    return next < to ? to : next;
  }

  const NicContext<Team>& context_;
  const View& v_;
  const Settings& s_;
  const SenderSide<Team>& senders_;
  const ReceiverSide<Team>& receivers_;
  CollectiveScheduler<Team>& scheduler_;
  SlowBuffer<Team>& slow_;
  PortArrivals& arrivals_;
  PortState port_[kMaxNicPorts];
  const bool slow_present_;
  TimePs now_ = 0;
  TimePs slot_from_ = 0;  // slots before it have been sampled
  u32 starting_ = 0;      // the port of the start that next_start_ps has returned
  bool busy_ = false;
};

}  // namespace heddle
