// A pass of a run of whole switches over [from, to): every phase in order (MODEL.md, 4.1, step 1).
#pragma once

#include "kernels/base/check.hpp"
#include "kernels/fabric/came_by.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/fabric/link_changes.hpp"
#include "kernels/fabric/loss_risk.hpp"
#include "kernels/fabric/per_packet.hpp"
#include "kernels/fabric/port_service.hpp"
#include "kernels/fabric/rest.hpp"
#include "kernels/fabric/switch_accounts.hpp"
#include "kernels/fabric/switch_arrivals.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/switch_phases.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/fabric/watchdog.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/prefetch.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The switches [node, end) during one tick. Their egress links are contiguous. The scratch must be blank, or as an
/// earlier pass left it.
template <class Team>
class SwitchPass {
 public:
  HEDDLE_FN SwitchPass(const Team& team, const View& v, const ScratchOf<Team>& scratch, u32 node, u32 end, u32 parity)
      : context_(team, v, scratch, node, end, parity),
        team_(team),
        v_(v),
        s_(v.settings),
        x_(scratch),
        node_(node),
        end_(end),
        parity_(parity),
        first_link_(context_.first_link) {}

  /// Simulates [from, to) and writes the next event of each switch to View::next_ps. Returns whether anything happened.
  HEDDLE_FN bool run(TimePs from, TimePs to) {
    list_due_ports(to);
    if (team_.prefetches()) prefetch_ports(v_, first_link_, x_.list, *x_.listed);
    for (TimePs start = from; start < to;) {
      const TimePs end = links_fail<Team>(s_) ? change_links(start, to) : to;
      if (has_watchdog<Team>(s_) && start % s_.epoch_ps == 0) watch(start);
      start = window(start, end);
    }
    return decide_next(to);
  }

 private:
  /// Lists the ports that have something to do before `to`; nothing happens at others unless a packet is routed there.
  HEDDLE_FN void list_due_ports(TimePs to) {
    team_.each(end_ - node_, [&](u32 n) {
      x_.next_ps[n] = links_fail<Team>(s_) ? next_switch_change_ps(v_, node_ + n) : kNever;
      if (n == 0) *x_.listed = *x_.happened = 0;
    });
    const u32 first_word = v_.first_port_word[node_];
    team_.bits(v_.port_active + first_word, v_.first_port_word[end_] - first_word, [&](u32 w, u32 bit) {
      const u32 link = v_.port_word_link[first_word + w] + bit;
      const TimePs next = v_.port_next_ps[link];
      if (next < to) {
        context_.append_port(link - first_link_);
      } else {
        team_.lower(x_.next_ps[v_.link_node[link] - node_], next);
      }
    });
  }

  /// Runs the watchdogs of each switch port by port, because they release bytes of accounts that the ports share.
  HEDDLE_FN void watch(TimePs t) {
    team_.each(end_ - node_, [&](u32 n) {
      for (u32 y = 0; y < *x_.listed; ++y) {
        const u32 link = first_link_ + x_.list[y];
        if (v_.link_node[link] == node_ + n && watch_pauses(team_, v_, link, t, parity_)) x_.busy[x_.list[y]] = 1;
      }
    });
  }

  /// Applies changes of links and routes at `from`; returns when the next changes are, or `to`.
  HEDDLE_RARE_FN TimePs change_links(TimePs from, TimePs to) {
    if (from % s_.epoch_ps != 0) begin_epochs(from);  // samples the memory that was free before the change
    team_.each(1, [&](u32) { *x_.sources = *x_.listed; });
    team_.each(end_ - node_, [&](u32 n) {
      change_switch(team_, v_, node_ + n, from, parity_, [&](u32 link) { note_change(link - first_link_); });
    });
    context_.place_from(*x_.sources);
    for (u32 node = node_; node < end_; ++node) {
      const TimePs next = next_switch_instant_ps(v_, node);
      to = next < to ? next : to;
    }
    return to;
  }

  /// Runs one switch on one lane.
  HEDDLE_RARE_FN static void run_per_packet(Team team, const View& v, const ScratchOf<Team>& x, u32 team_node, u32 node,
                                            u32 parity, TimePs from, TimePs to) {
    team.stay_alone();
    PerPacketPass<Team>(team, v, x, team_node, node, parity).run(from, to);
  }

  HEDDLE_FN void note_change(u32 i) {
    if (x_.place[i] == 0) return context_.list_target(i);
    x_.busy[i] = 1;
  }

  HEDDLE_FN void begin_epochs(TimePs t) {
    team_.each(v_.first_pool[end_] - v_.first_pool[node_],
               [&](u32 i) { begin_epoch(v_, v_.first_pool[node_] + i, t); });
  }

  /// Simulates as much time as fits the scratch; returns the end of this window.
  HEDDLE_FN TimePs window(TimePs from, TimePs to) {
    begin_epochs(from);
    if (samples_queues<Team>(s_) && from % s_.epoch_ps == 0) sample_queues(from / s_.epoch_ps);
    team_.each(1, [&](u32) {
      *x_.per_packet = 0;
      if (kWaitsInScratch<Team>) *x_.watching = 0;
      *x_.sources = *x_.listed;
    });
    const SwitchArrivals<Team> arrivals(context_);
    u32 packets = 0;
    for (;;) {
      packets = arrivals.count(to);
      if (packets <= x_.packets || to - from == 1) break;
      to = from + (to - from) / 2;
    }
    live(arrivals, packets, from, to);
    wipe();
    return to;
  }

  /// Returns early when a build with HEDDLE_CHECK finds that a phase broke a rule.
  HEDDLE_FN void live(const SwitchArrivals<Team>& arrivals, u32 packets, TimePs from, TimePs to) {
    arrivals.route_all(from);
    const SwitchPhases<Team> phases(context_, from);
    if (kChecked && !phases.routed(packets)) return;
    LossRisk<Team>(context_).find(to);
    if (*x_.per_packet) {
      team_.each(end_ - node_, [&](u32 i) { run_per_packet(team_, v_, x_, node_, node_ + i, parity_, from, to); });
    } else {
      arrivals.order(from, packets);
      if (kChecked && !phases.ordered(packets)) return;
      const bool phased = kWaitsInScratch<Team> && x_.phases && *x_.watching == 0;
      enqueue_arrivals(context_, from, phased);
      if (kChecked && !phases.enqueued()) return;
      const SwitchAccounts<Team> accounts(context_, from);
      serve_ports(context_, accounts, from, to, phased, [&](u32 i) { x_.busy[i] = 1; });
      if (kChecked && !phases.served()) return;
      accounts.settle(to);
    }
    arrivals.take();
    if (kChecked) phases.taken(parity_);
  }

  /// Samples egress queues at an epoch start, for policies that read them. A port that is not listed held nothing.
  HEDDLE_FN void sample_queues(TimePs epoch) {
    context_.for_listed(1, [&](u32 i, u32, u32) {
      const u32 link = first_link_ + i;
      u64 bytes = 0;
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) bytes += v_.queue[link * classes_of<Team>(s_) + c].bytes;
      if (bytes != 0) v_.sampled_queue[link] = {epoch, bytes};
    });
  }

  /// Resets the window's counters by port to 0.
  HEDDLE_FN void wipe() {
    context_.for_listed(1, [&](u32 i, u32, u32) {
      for (u32 q = i * classes_of<Team>(s_); q < (i + 1) * classes_of<Team>(s_); ++q)
        x_.counted[q] = x_.arriving[q] = 0;
      for (u32 a = i * pfc_classes_of<Team>(s_); a < (i + 1) * pfc_classes_of<Team>(s_); ++a)
        x_.arrived[a] = x_.released[a] = x_.watched[a] = 0;
    });
    team_.each(1, [&](u32) { x_.counted[context_.dropped] = 0; });
  }

  /// Computes the next event of each port and switch, and which ports have published something. Returns whether
  /// anything happened.
  HEDDLE_FN bool decide_next(TimePs to) {
    context_.for_listed(1, [&](u32 i, u32, u32) {
      const u32 link = first_link_ + i, node = v_.link_node[link], port = link - v_.first_link[node];
      const u64 bit = u64{1} << (port % 64);
      team_.lower(x_.next_ps[node - node_], decide_port(team_, v_, node, port, link, to, parity_));
      if (x_.busy[i] != 0) {
        team_.mark(v_.port_published[v_.first_port_word[node] + port / 64], bit);
        *x_.happened = 1;
      }
      x_.place[i] = x_.busy[i] = 0;
    });
    team_.each(end_ - node_, [&](u32 n) { v_.next_ps[node_ + n] = x_.next_ps[n]; });
    return *x_.happened != 0;
  }

  const SwitchContext<Team> context_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 node_, end_, parity_, first_link_;
};

}  // namespace heddle
