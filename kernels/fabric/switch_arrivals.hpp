// The arrivals of a window of a switch pass: counted, routed, and ordered for their egress.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/arrivals.hpp"
#include "kernels/fabric/link_changes.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/turn.hpp"
#include "kernels/fabric/waiting.hpp"
#include "kernels/routing/route.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// Puts the sorted keys of place z, of port i and class c, in the order of the switch, makes room for their packets in
/// the ring, and counts them and the `bytes` that they hold, which are read late. Calls on_moved() if the ring has
/// moved.
template <class Team, class OnMoved>
HEDDLE_FN void append_run(const SwitchContext<Team>& context, TimePs from, u32 i, u32 c, u32 z, const u32& bytes,
                          const OnMoved& on_moved) {
  const ScratchOf<Team>& x = context.x;
  const View& v = context.v;
  const u32 q = (context.first_link + i) * classes_of<Team>(context.s) + c;
  Queue& queue = v.queue[q];
  x.fresh[z] = queue.tail;
  if constexpr (kWaitsInScratch<Team>) x.fresh_bytes[z] = bytes;
  const u32 n = x.run[z + 1] - x.run[z];
  if (n == 0) return;
  if (n > 1) {
    const u32 node = v.link_node[context.first_link + i];
    rotate_ties(v, node, v.first_link[node] - context.first_link, from, x.spare + x.run[z], x.spare + x.run[z + 1]);
  }
  if (make_room(v, q, queue, n, context.parity)) on_moved();
  queue.tail += n;
  queue.bytes += bytes;
  note_admitted(v, context.first_link + i, c, bytes);
}

template <class Team>
class SwitchArrivals {
 public:
  HEDDLE_FN explicit SwitchArrivals(const SwitchContext<Team>& context)
      : context_(context),
        team_(context.team),
        v_(context.v),
        s_(context.s),
        x_(context.x),
        first_link_(context.first_link) {}

  /// Counts arrivals before `to`, by source; SwitchScratch::due then has the offsets. Returns the number of arrivals.
  HEDDLE_FN u32 count(TimePs to) const {
    team_.for_each_divergent(*x_.sources, [&](u32 y) {
      const u32 first = context_.incoming_queue(y, 0), classes = classes_of<Team>(s_);
      for (u32 c = 0; c < classes; ++c) {
        const Published p = v_.published[context_.parity][first + c];
        const u32 head = v_.head[context_.parity ^ 1][first + c];
        x_.due[y * classes + c] = arrived(p, head, to);
      }
    });
    return team_.scan(x_.due, *x_.sources * classes_of<Team>(s_));
  }

  /// Routes every arrival and gives it a key for the order.
  HEDDLE_FN void route_all(TimePs from) const {
    const u32 sources = *x_.sources * classes_of<Team>(s_);
    if (keeps_route_state<Team>(s_) || links_fail<Team>(s_)) route_in_order(sources);
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
          const u32 q = port * classes_of<Team>(s_) + class_behind(in, port);
          const u64 dt = static_cast<u64>(t - from);
          x_.key[k] = (dt << 36) | (static_cast<u64>(in.port) << 24) | k;
          x_.source[k] = entry;
          x_.queue_of[k] = q;
          if (team_.add(x_.counted[q], 1u) == 0 && x_.place[port] == 0) context_.list_target(port);
          const u32 held = held_bytes(packet.frame_bytes(), in.cell_bytes);
          team_.add(x_.arriving[q], held);
          if (in.account != kNone) team_.add(x_.arrived[in.account], held);
        });
    context_.place_from(*x_.sources);
  }

  /// Groups keys by egress queue and orders them by time, simultaneous ones by rotated port. Makes room in the rings
  /// and counts the packets.
  HEDDLE_FN void order(TimePs from, u32 packets) const {
    place_runs();
    team_.each(packets, [&](u32 k) { x_.spare[team_.add(x_.counted[x_.queue_of[k]], 1u)] = x_.key[k]; });
    team_.sort_runs(x_.spare, x_.key, x_.run, *x_.listed * classes_of<Team>(s_));
    context_.for_listed(classes_of<Team>(s_), [&](u32 i, u32 c, u32 z) {
      const u32 q = i * classes_of<Team>(s_) + c;
      if (c == 0) blank_bins(i);
      append_run(context_, from, i, c, z, x_.arriving[q], [&] { x_.busy[i] = 1; });
    });
  }

  /// Advances the read positions of wires past the arrivals.
  HEDDLE_FN void take() const {
    team_.for_each_divergent(*x_.sources, [&](u32 y) {
      const u32 first = context_.incoming_queue(y, 0);
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
        const u32 x = y * classes_of<Team>(s_) + c;
        const u32 n = x_.due[x + 1] - x_.due[x];
        if (n == 0) continue;
        v_.head[context_.parity ^ 1][first + c] += n;
        x_.busy[x_.list[y]] = 1;
      }
    });
  }

  /// Data shared by the arrivals of one source.
  struct Source {
    u32 port, node, c;
    bool routed;  // routed in order before: queue_of holds the egress link
    u32 account;  // kNone: not charged
    u32 cell_bytes;
    Ring ring;
    u32 head;
  };

  /// Source y * classes + c: class c of the wire into listed port y.
  HEDDLE_FN Source source(u32 x) const {
    const u32 y = x / classes_of<Team>(s_), c = x % classes_of<Team>(s_);
    const u32 port = x_.list[y];
    const u32 in = context_.incoming_queue(y, c);
    const u32 pfc = pfc_index_of<Team>(s_, c);
    const bool charged = pfc != kNone && v_.ingress[first_link_ + port].profile != kNone;
    const u32 node = v_.link_node[first_link_ + port];
    return {port,
            node,
            c,
            links_fail<Team>(s_) || (keeps_route_state<Team>(s_) && v_.policy_state_words[node] != 0),
            charged ? port * pfc_classes_of<Team>(s_) + pfc : kNone,
            v_.egress[first_link_ + port].cell_bytes,
            v_.published[context_.parity][in].ring,
            v_.head[context_.parity ^ 1][in]};
  }

 private:
  /// Number of packets in [head, p.sent) that arrive before `to`: the first ones, because a wire is in order.
  HEDDLE_FN u32 arrived(const Published& p, u32 head, TimePs to) const {
    const auto arrives = [&](u32 n) { return v_.pool.time_ps[p.ring.at(head + n)] < to; };
    u32 n = 0;
    if constexpr (Team::kInStep) {  // binary search, because each probe waits for memory
      for (u32 end = p.sent - head; n != end;) {
        const u32 middle = n + (end - n) / 2;
        const bool before = arrives(middle);
        n = before ? middle + 1 : n;
        end = before ? end : middle;
      }
    } else {
      while (head + n != p.sent && arrives(n)) ++n;
    }
    return n;
  }

  /// Policies that keep state route the arrivals of a source one after the other; where links fail, all policies do.
  HEDDLE_FN void route_in_order(u32 sources) const {
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

  /// The egress link of an arrival; kNone when failures have left it no path, or its egress is down, so it is dropped.
  HEDDLE_FN u32 way_of(const Source& in, const Packet& packet, TimePs t) const {
    const u32 own = first_link_ + in.port;
    if (links_fail<Team>(s_) && has_no_route(v_, in.node, packet)) {
      drop_packet(team_, v_, own, packet, DropCause::no_route, t);
      return kNone;
    }
    const u32 link = route(v_, in.node, packet, own, t, team_.tally());
    if (!links_fail<Team>(s_) || !is_down(v_, link)) return link;
    drop_packet(team_, v_, link, packet, DropCause::link_down, t);
    return kNone;
  }

  /// The class in which an arrival waits at `port` of this team.
  HEDDLE_FN u32 class_behind(const Source& in, u32 port) const {
    if (!takes_detours<Team>(s_)) return in.c;
    const u32 first = v_.first_link[in.node] - first_link_;
    return egress_class<Team>(v_, in.node, in.port - first, in.c, port - first);
  }

  HEDDLE_FN void leave_out(u32 k) const {
    x_.key[k] = k;
    x_.source[k] = kNone;
    x_.queue_of[k] = context_.dropped;
    team_.add(x_.counted[context_.dropped], 1u);
  }

  /// Clears the slots of watched accounts, which share memory with the keys.
  HEDDLE_FN void blank_bins(u32 i) const {
    for (u32 a = i * pfc_classes_of<Team>(s_); a < (i + 1) * pfc_classes_of<Team>(s_); ++a) {
      if (x_.watched[a] == 0) continue;
      for (u32 b = 0; b < x_.bins; ++b) x_.bin[static_cast<u64>(a) * x_.bins + b] = 0;
    }
  }

  /// Computes the runs of keys, in the order of the list, and stores where each queue's run begins.
  HEDDLE_FN void place_runs() const {
    const u32 runs = *x_.listed * classes_of<Team>(s_);
    context_.for_listed(classes_of<Team>(s_),
                        [&](u32 i, u32 c, u32 z) { x_.run[z] = x_.counted[i * classes_of<Team>(s_) + c]; });
    team_.each(1, [&](u32) { x_.run[runs] = x_.counted[context_.dropped]; });
    team_.scan(x_.run, runs + 1);
    context_.for_listed(classes_of<Team>(s_),
                        [&](u32 i, u32 c, u32 z) { x_.counted[i * classes_of<Team>(s_) + c] = x_.run[z]; });
    team_.each(1, [&](u32) { x_.counted[context_.dropped] = x_.run[runs]; });
  }

  const SwitchContext<Team>& context_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 first_link_;
};

}  // namespace heddle
