// A pass of a run of whole switches over [from, to): every phase in order (MODEL.md, 4.1, step 1).
#pragma once

#include "kernels/base/check.hpp"
#include "kernels/fabric/arrivals.hpp"
#include "kernels/fabric/careful.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/fabric/link_changes.hpp"
#include "kernels/fabric/loss_risk.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/rest.hpp"
#include "kernels/fabric/switch_phases.hpp"
#include "kernels/fabric/switch_scratch.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/fabric/watchdog.hpp"
#include "kernels/routing/route.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The switches [node, end) during one tick. Their egress links are contiguous.
template <class Team>
class SwitchPass {
 public:
  HEDDLE_FN SwitchPass(const Team& team, const View& v, const SwitchScratch& scratch, u32 node, u32 end, u32 parity)
      : team_(team),
        v_(v),
        s_(v.settings),
        x_(scratch),
        node_(node),
        end_(end),
        parity_(parity),
        first_link_(v.first_link[node]),
        ports_(v.first_link[end] - first_link_),
        queues_(ports_ * s_.classes),
        accounts_(ports_ * s_.pfc_classes) {}

  /// Simulates [from, to) and leaves each switch's next instant of interest in View::next_ps. Returns whether anything
  /// happened.
  HEDDLE_FN bool run(TimePs from, TimePs to) {
    list_due_ports(to);
    for (TimePs start = from; start < to;) {
      const TimePs end = s_.links_fail ? change_links(start, to) : to;
      if (s_.watchdog_ps != 0 && start % s_.epoch_ps == 0) watch(start);
      start = window(start, end);
    }
    return decide_next(to);
  }

 private:
  /// Ports that have something to do before `to`; at all others nothing happens unless a packet is routed there.
  HEDDLE_FN void list_due_ports(TimePs to) {
    team_.each(ports_, [&](u32 i) {
      x_.position[i] = kNone;
      x_.busy[i] = 0;
    });
    team_.each(end_ - node_, [&](u32 n) {
      x_.next_ps[n] = s_.links_fail ? next_switch_change_ps(v_, node_ + n) : kNever;
      if (n == 0) *x_.listed = *x_.happened = 0;
    });
    const u32 first_word = v_.first_port_word[node_];
    team_.bits(v_.port_active + first_word, v_.first_port_word[end_] - first_word, [&](u32 w, u32 bit) {
      const u32 link = v_.port_word_link[first_word + w] + bit;
      const TimePs next = v_.port_next_ps[link];
      if (next < to) {
        append_port(link - first_link_);
      } else {
        team_.lower(x_.next_ps[v_.link_node[link] - node_], next);
      }
    });
  }

  HEDDLE_FN void append_port(u32 i) {
    const u32 at = team_.add(*x_.listed, 1u);
    x_.list[at] = i;
    x_.position[i] = at;
  }

  /// The watchdogs of each switch, one port after the other: they release from accounts that the ports share.
  HEDDLE_FN void watch(TimePs t) {
    team_.each(end_ - node_, [&](u32 n) {
      for (u32 y = 0; y < *x_.listed; ++y) {
        const u32 link = first_link_ + x_.list[y];
        if (v_.link_node[link] == node_ + n && watch_pauses(team_, v_, link, t, parity_)) x_.busy[x_.list[y]] = 1;
      }
    });
  }

  /// Links and routes that change at `from`; returns when the next do, or `to`.
  HEDDLE_RARE_FN TimePs change_links(TimePs from, TimePs to) {
    if (from % s_.epoch_ps != 0) begin_epochs(from);  // what was free before this
    team_.each(end_ - node_, [&](u32 n) {
      change_switch(team_, v_, node_ + n, from, parity_, [&](u32 link) { note_change(link - first_link_); });
    });
    for (u32 node = node_; node < end_; ++node) {
      const TimePs next = next_switch_instant_ps(v_, node);
      to = next < to ? next : to;
    }
    return to;
  }

  HEDDLE_FN void note_change(u32 i) {
    if (x_.position[i] == kNone) return list_target(i);
    x_.busy[i] = 1;
  }

  HEDDLE_FN void begin_epochs(TimePs t) {
    team_.each(v_.first_pool[end_] - v_.first_pool[node_],
               [&](u32 i) { begin_epoch(v_, v_.first_pool[node_] + i, t); });
  }

  /// One stretch of time that the scratch can hold; returns where it ended.
  HEDDLE_FN TimePs window(TimePs from, TimePs to) {
    begin_epochs(from);
    if (s_.samples_queues && from % s_.epoch_ps == 0) sample_queues(from / s_.epoch_ps);
    clear();
    const u32 sources = *x_.sources * s_.classes;
    u32 packets = 0;
    for (;;) {
      count_due(to);
      packets = team_.scan(x_.due, sources);
      if (packets <= x_.packets || to - from == 1) break;
      to = from + (to - from) / 2;
    }
    if (s_.keeps_route_state || s_.links_fail) route_in_order(sources);
    route_arrivals(sources, from);
    const SwitchPhases<Team> phases(team_, v_, x_, first_link_, queues_, from);
    if (kChecked && !phases.routed(packets)) return to;
    LossRisk<Team>(team_, v_, x_, node_, end_).find(to);
    if (*x_.careful) {
      team_.each(end_ - node_,
                 [&](u32 i) { CarefulPass<Team>(team_, v_, x_, node_, node_ + i, parity_).run(from, to); });
    } else {
      order_arrivals(from, packets);
      if (kChecked && !phases.ordered(packets)) return to;
      enqueue(from);
      if (kChecked && !phases.enqueued()) return to;
      serve(from, to);
      if (kChecked && !phases.served()) return to;
      settle(from, to);
    }
    take_arrivals();
    if (kChecked) phases.taken(parity_);
    return to;
  }

  HEDDLE_FN void clear() {
    team_.each(queues_, [&](u32 q) {
      x_.run[q] = 0;
      x_.arriving[q] = 0;
    });
    team_.each(accounts_, [&](u32 a) {
      x_.arrived[a] = 0;
      x_.released[a] = 0;
      x_.watched[a] = 0;
    });
    team_.each(1, [&](u32) {
      *x_.careful = 0;
      x_.run[queues_] = 0;
      *x_.sources = *x_.listed;
    });
  }

  /// Source y * classes + c is class c of the wire that comes in by listed port y; its queue at the node before.
  HEDDLE_FN u32 incoming_queue(u32 y, u32 c) const {
    return v_.egress[first_link_ + x_.list[y]].reverse * s_.classes + c;
  }

  /// How many packets of each source arrive before `to`.
  HEDDLE_FN void count_due(TimePs to) {
    team_.each(*x_.sources, [&](u32 y) {
      const u32 first = incoming_queue(y, 0), classes = s_.classes;
      for (u32 c = 0; c < classes; ++c) {
        const Published p = v_.published[parity_][first + c];
        const u32 head = v_.head[parity_ ^ 1][first + c];
        u32 n = 0;
        while (head + n != p.sent && v_.pool.time_ps[p.ring.at(head + n)] < to) ++n;
        x_.due[y * classes + c] = n;
      }
    });
  }

  /// For policies that look at what egresses held at the latest epoch start. A port that is not listed held nothing.
  HEDDLE_FN void sample_queues(TimePs epoch) {
    for_listed(1, [&](u32 i, u32) {
      const u32 link = first_link_ + i;
      u64 bytes = 0;
      for (u32 c = 0; c < s_.classes; ++c) bytes += v_.queue[link * s_.classes + c].bytes;
      if (bytes != 0) v_.sampled_queue[link] = {epoch, bytes};
    });
  }

  /// Policies that keep state choose for one arrival of a source after the other; where links fail, all do.
  HEDDLE_FN void route_in_order(u32 sources) {
    team_.each(sources, [&](u32 x) {
      if (x_.due[x] == x_.due[x + 1]) return;
      const Source in = source(x);
      if (!in.routed) return;
      for (u32 k = x_.due[x]; k < x_.due[x + 1]; ++k) {
        const u32 entry = in.ring.at(in.head + k - x_.due[x]);
        x_.queue_of[k] = way_of(in, v_.pool.packet[entry], v_.pool.time_ps[entry]);
      }
    });
  }

  /// What the arrivals of one source share.
  struct Source {
    u32 port, node, c;
    bool routed;  // one after the other: the egress link stands in queue_of
    u32 account;  // kNone: not charged
    bool limited;
    u32 cell_bytes;
    Ring ring;
    u32 head;
  };

  HEDDLE_FN Source source(u32 x) const {
    const u32 port = x_.list[x / s_.classes], c = x % s_.classes;
    const u32 in = incoming_queue(x / s_.classes, c);
    const u32 pfc = s_.pfc_index[c];
    const bool charged = pfc != kNone && v_.ingress[first_link_ + port].profile != kNone;
    const u32 node = v_.link_node[first_link_ + port];
    return {port,
            node,
            c,
            s_.links_fail || (s_.keeps_route_state && v_.policy_state_words[node] != 0),
            charged ? port * s_.pfc_classes + pfc : kNone,
            ((s_.limited_mask >> c) & 1) != 0,
            v_.egress[first_link_ + port].cell_bytes,
            v_.published[parity_][in].ring,
            v_.head[parity_ ^ 1][in]};
  }

  /// The egress link of an arrival; kNone: failures have left it no way, or its egress is down, so it is dropped.
  HEDDLE_FN u32 way_of(const Source& in, const Packet& packet, TimePs t) {
    const u32 own = first_link_ + in.port;
    if (s_.links_fail && has_no_route(v_, in.node, packet)) {
      drop_packet(team_, v_, own, packet, DropCause::no_route, t);
      return kNone;
    }
    const u32 link = route(v_, in.node, packet, own, t, team_.tally());
    if (!s_.links_fail || !is_down(v_, link)) return link;
    drop_packet(team_, v_, link, packet, DropCause::link_down, t);
    return kNone;
  }

  /// Every arrival: where it goes, and a key that orders it.
  HEDDLE_FN void route_arrivals(u32 sources, TimePs from) {
    team_.items(
        x_.due, sources, [&](u32 x) { return source(x); },
        [&](const Source& in, u32 j, u32 k) HEDDLE_INLINE_LAMBDA {
          const u32 entry = in.ring.at(in.head + j);
          const Packet packet = v_.pool.packet[entry];
          const TimePs t = v_.pool.time_ps[entry];
          u32 link = x_.queue_of[k];
          if (!in.routed) {
            link = route(v_, in.node, packet, first_link_ + in.port, t, team_.tally());
          } else if (link == kNone) {
            return leave_out(k);
          }
          const u32 port = link - first_link_;
          const u32 q = port * s_.classes + in.c;
          const u64 dt = static_cast<u64>(t - from);
          x_.key[k] = (dt << 36) | (static_cast<u64>(in.port) << 24) | k;
          x_.source[k] = entry;
          x_.queue_of[k] = q;
          x_.rank_of[k] = team_.add(x_.run[q], 1u);
          if (x_.rank_of[k] == 0 && x_.position[port] == kNone) list_target(port);
          const u32 held = held_bytes(packet.frame_bytes(), in.cell_bytes);
          if (in.limited) team_.add(x_.arriving[q], held);
          if (in.account != kNone) team_.add(x_.arrived[in.account], held);
        });
  }

  /// Dropped arrivals come behind all others, as if for a queue more.
  HEDDLE_FN void leave_out(u32 k) {
    x_.key[k] = k;
    x_.source[k] = kNone;
    x_.queue_of[k] = queues_;
    x_.rank_of[k] = team_.add(x_.run[queues_], 1u);
  }

  /// An egress port that was not active gets a packet. Two classes may find that at once: one of them lists it.
  HEDDLE_FN void list_target(u32 i) {
    if (team_.add(x_.busy[i], 1u) == 0) append_port(i);
  }

  /// f(port, k) for every listed port and k < n.
  template <class F>
  HEDDLE_FN void for_listed(u32 n, const F& f) {
    team_.each(*x_.listed, [&](u32 y) {
      const u32 i = x_.list[y];
      for (u32 k = 0; k < n; ++k) f(i, k);
    });
  }

  /// Keys grouped by egress queue, ordered by time; simultaneous ones by the rotated port.
  HEDDLE_FN void order_arrivals(TimePs from, u32 packets) {
    team_.scan(x_.run, queues_);
    team_.each(packets, [&](u32 k) { x_.spare[x_.run[x_.queue_of[k]] + x_.rank_of[k]] = x_.key[k]; });
    team_.sort_runs(x_.spare, x_.key, x_.run, queues_);
    for_listed(s_.classes, [&](u32 i, u32 c) {
      const u32 q = i * s_.classes + c;
      Queue& queue = v_.queue[first_link_ * s_.classes + q];
      x_.fresh[q] = queue.tail;
      const u32 n = x_.run[q + 1] - x_.run[q];
      if (n == 0) return;
      if (n > 1) {
        const u32 node = v_.link_node[first_link_ + i];
        rotate_ties(v_, node, v_.first_link[node] - first_link_, from, x_.spare + x_.run[q], x_.spare + x_.run[q + 1]);
      }
      make_room(v_, first_link_ * s_.classes + q, queue, n, parity_);
      queue.tail += n;
      note_admitted(v_, first_link_ + i, c, x_.arriving[q]);
    });
  }

  /// The one copy of a hop: from the ring of the node before into the own ring.
  HEDDLE_FN void enqueue(TimePs from) {
    struct Target {
      u32 q, fresh, node_port, cell_bytes;  // node_port: port 0 of its switch in this team
      Ring ring;
    };
    const auto target = [&](u32 q) {
      const u32 link = first_link_ + q / s_.classes;
      return Target{q, x_.fresh[q], v_.first_link[v_.link_node[link]] - first_link_, v_.egress[link].cell_bytes,
                    v_.queue[first_link_ * s_.classes + q].ring};
    };
    team_.items(x_.run, queues_, target, [&](const Target& to, u32 j, u32 k) {
      const u64 key = x_.spare[k];
      Packet packet = v_.pool.packet[x_.source[key & 0xffffff]];
      packet.set_ingress_port((static_cast<u32>(key >> 24) & 0xfff) - to.node_port);
      const u32 entry = to.ring.at(to.fresh + j);
      v_.pool.packet[entry] = packet;
      v_.pool.time_ps[entry] = from + static_cast<TimePs>(key >> 36);
      team_.add(v_.queue[first_link_ * s_.classes + to.q].bytes,
                static_cast<u64>(held_bytes(packet.frame_bytes(), to.cell_bytes)));
    });
  }

  /// Every egress port lives through the window.
  HEDDLE_FN void serve(TimePs from, TimePs to) {
    for_listed(1, [&](u32 i, u32) {
      const u32 link = first_link_ + i;
      const u32 first_port = v_.first_link[v_.link_node[link]] - first_link_;  // of this switch, in this team
      const u32 cell_bytes = v_.egress[link].cell_bytes;
      EgressService<Team> service(team_, v_, link, parity_, x_.fresh + i * s_.classes);
      service.serve(to, [&](const Packet& packet, TimePs start) {
        const u32 pfc = s_.pfc_index[packet.traffic_class()];
        if (pfc == kNone) return;
        const u32 a = (first_port + packet.ingress_port()) * s_.pfc_classes + pfc;
        const u32 held = held_bytes(packet.frame_bytes(), cell_bytes);
        team_.add(x_.released[a], held);
        if (x_.watched[a]) team_.add(x_.bin[static_cast<u64>(a) * x_.bins + slot_of(start) - slot_of(from)], held);
      });
      settle_best_effort(i, service);
      service.finish(to);
      if (service.sent_packets() != 0) x_.busy[i] = 1;
    });
  }

  /// What queues with a dynamic limit have taken of their pool in this window, or given back.
  HEDDLE_FN void settle_best_effort(u32 i, const EgressService<Team>& service) {
    const u32 link = first_link_ + i;
    for (u32 left = s_.dynamic_limit_mask; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      if (!limit_is_dynamic(v_, link, c)) continue;
      PoolState& pool = v_.pool_state[v_.ingress[link].pool];
      const u64 with_arrivals = v_.queue[link * s_.classes + c].bytes;  // before it was served
      const u64 by = x_.arriving[i * s_.classes + c] + service.queue_bytes(c) - with_arrivals;
      team_.add(pool.used_bytes, by);
      team_.add(pool.shared_used_bytes, by);
    }
  }

  HEDDLE_FN u32 slot_of(TimePs t) const { return static_cast<u32>(t >> s_.slot_log2); }

  /// Ingress accounts after the window; the slots of those that pause or may have to.
  HEDDLE_FN void settle(TimePs from, TimePs to) {
    for_listed(s_.pfc_classes, [&](u32 i, u32 p) {
      const u32 a = i * s_.pfc_classes + p;
      const u32 own = first_link_ + i;
      const IngressPort& port = v_.ingress[own];
      if (port.profile == kNone) return;
      Account& account = v_.account[first_link_ * s_.pfc_classes + a];
      const u32 after = account.occupancy_bytes + x_.arrived[a] - x_.released[a];
      const u64 shared_before = shared_part_bytes(v_.ingress_profile[port.profile], account);
      if (x_.watched[a]) {
        sample_slots(a, own, account, from, to);
        x_.busy[i] = 1;
      }
      account.occupancy_bytes = after;
      if (port.pool == kNone) return;
      team_.add(v_.pool_state[port.pool].used_bytes, static_cast<u64>(x_.arrived[a]) - x_.released[a]);
      team_.add(v_.pool_state[port.pool].shared_used_bytes,
                shared_part_bytes(v_.ingress_profile[port.profile], account) - shared_before);
    });
  }

  HEDDLE_FN void sample_slots(u32 a, u32 own, Account& account, TimePs from, TimePs to) {
    const u32 pfc = a % s_.pfc_classes;
    const u32 x = x_.position[a / s_.pfc_classes] * s_.classes + s_.pfc_class[pfc];
    const TimePs slot_ps = TimePs{1} << s_.slot_log2;
    u32 k = x_.due[x];
    u32 bin = 0;
    for (TimePs t = first_slot_from(v_, from); t < to; t += slot_ps) {
      for (; k < x_.due[x + 1]; ++k) {
        if (x_.source[k] == kNone) continue;  // dropped
        if (v_.pool.time_ps[x_.source[k]] >= t) break;
        account.occupancy_bytes += held_at(v_, own, v_.pool.packet[x_.source[k]]);
      }
      for (; bin < slot_of(t) - slot_of(from); ++bin)
        account.occupancy_bytes -= x_.bin[static_cast<u64>(a) * x_.bins + bin];
      sample_slot(team_, v_, own, pfc, account, t, parity_ ^ 1,
                  [&](TimePs at) { return busy_until_ps(v_, own, at, parity_); });
    }
  }

  /// What arrived has been taken off its wire.
  HEDDLE_FN void take_arrivals() {
    team_.each(*x_.sources, [&](u32 y) {
      const u32 first = incoming_queue(y, 0);
      for (u32 c = 0; c < s_.classes; ++c) {
        const u32 x = y * s_.classes + c;
        const u32 n = x_.due[x + 1] - x_.due[x];
        if (n == 0) continue;
        v_.head[parity_ ^ 1][first + c] += n;
        x_.busy[x_.list[y]] = 1;
      }
    });
  }

  /// When each port and each switch has something to do again. What a port has told is heard by itself, too, so that
  /// both parities agree. Returns whether anything happened.
  HEDDLE_FN bool decide_next(TimePs to) {
    for_listed(1, [&](u32 i, u32) {
      const u32 link = first_link_ + i, node = v_.link_node[link], port = link - v_.first_link[node];
      const TimePs next = next_of_port(v_, link, to, parity_, parity_ ^ 1);
      v_.port_next_ps[link] = next;
      const u64 bit = u64{1} << (port % 64);
      u64& active = v_.port_active[v_.first_port_word[node] + port / 64];
      const bool was_active = (global_load(active) & bit) != 0;
      if (was_active != (next != kNever)) team_.add(active, was_active ? u64{0} - bit : bit);
      team_.lower(x_.next_ps[node - node_], next);
      if (!x_.busy[i]) return;
      wake(v_, node, port, parity_ ^ 1, kNews);
      *x_.happened = 1;
    });
    team_.each(end_ - node_, [&](u32 n) { v_.next_ps[node_ + n] = x_.next_ps[n]; });
    return *x_.happened != 0;
  }

  const Team& team_;
  const View& v_;
  const Settings& s_;
  const SwitchScratch& x_;
  const u32 node_, end_, parity_, first_link_, ports_, queues_, accounts_;
};

}  // namespace heddle
