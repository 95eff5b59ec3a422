// The pass of a switch in whose window a packet could be dropped: one arrival at a time, with every egress advanced to
// that instant before the admission test (MODEL.md, 5.7). It is slow, and rare in a well configured fabric.
#pragma once

#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/arrivals.hpp"
#include "kernels/fabric/came_by.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/switch_scratch.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/fabric/watchdog.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// Switch `node` of a team whose first switch is `team_node`, over one window whose arrivals are counted in the
/// scratch.
template <class Team>
class PerPacketPass {
 public:
  HEDDLE_FN PerPacketPass(const Team& team, const View& v, const ScratchOf<Team>& scratch, u32 team_node, u32 node,
                          u32 parity)
      : team_(team),
        v_(v),
        s_(v.settings),
        x_(scratch),
        node_(node),
        parity_(parity),
        first_(v.first_link[node]),
        ports_(v.first_link[node + 1] - first_),
        offset_(first_ - v.first_link[team_node]) {}

  HEDDLE_FN void run(TimePs from, TimePs to) {
    const TimePs slot_ps = TimePs{1} << s_.slot_log2;
    TimePs slot = pfc_classes_of<Team>(s_) == 0 ? kNever : first_slot_from(v_, from);
    for_sources([&](u32 x, u32) { move_to(x, x_.due[x]); });
    for (;;) {
      const TimePs arrival = next_arrival();
      const TimePs t = slot < arrival ? slot : arrival;
      if (t >= to) break;
      advance(t);
      if (t == slot) {
        sample(t);
        slot += slot_ps;
      }
      if (t == arrival) receive(t);
    }
    advance(to);
  }

 private:
  /// Moves the cursor of source x to its next arrival, from `k` on, that has not been dropped.
  HEDDLE_FN void move_to(u32 x, u32 k) const {
    while (k != x_.due[x + 1] && x_.source[k] == kNone) ++k;
    x_.cursor[x] = k;
  }

  HEDDLE_FN TimePs next_arrival() const {
    TimePs next = kNever;
    for_sources([&](u32 x, u32) {
      if (x_.cursor[x] == x_.due[x + 1]) return;
      const TimePs t = v_.pool.time_ps[x_.source[x_.cursor[x]]];
      if (t < next) next = t;
    });
    return next;
  }

  /// Calls f(source, port) for every source of this switch that may have arrivals; ports listed later have none.
  template <class F>
  HEDDLE_FN void for_sources(const F& f) const {
    for (u32 y = 0; y < *x_.sources; ++y) {
      const u32 i = x_.list[y];
      if (i < offset_ || i >= offset_ + ports_) continue;
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) f(y * classes_of<Team>(s_) + c, i - offset_);
    }
  }

  HEDDLE_FN void advance(TimePs to) {
    for (u32 y = 0; y < *x_.listed; ++y) {
      if (x_.list[y] < offset_ || x_.list[y] >= offset_ + ports_) continue;
      const u32 i = x_.list[y] - offset_;
      u32 fresh[kMaxClasses];
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) fresh[c] = v_.queue[(first_ + i) * classes_of<Team>(s_) + c].tail;
      const WaitingInPool packets(v_.pool);
      EgressService<Team, WaitingInPool> service(team_, v_, first_ + i, parity_, fresh, packets);
      service.serve(to, [&](const Packet& packet, TimePs) { leave(packet, first_ + i); });
      service.finish(to);
      x_.busy[offset_ + i] = 1;
    }
  }

  HEDDLE_FN void sample(TimePs t) {
    for (u32 a = 0; a < ports_ * pfc_classes_of<Team>(s_); ++a) {
      const u32 own = first_ + a / pfc_classes_of<Team>(s_);
      if (v_.ingress[own].profile == kNone) continue;
      sample_slot(team_, v_, own, a % pfc_classes_of<Team>(s_), v_.account[first_ * pfc_classes_of<Team>(s_) + a], t,
                  parity_ ^ 1, [&](TimePs at) { return transmitter_free_ps(v_, own, at); });
    }
  }

  /// Receives all packets that arrive at t, by rotated port.
  HEDDLE_FN void receive(TimePs t) {
    const u32 rotation = tie_rotation(v_, node_, t);
    for (u32 rank = 0; rank < ports_; ++rank) {
      const u32 in = (rank + ports_ - rotation) % ports_;
      const u32 position = x_.place[offset_ + in] - 1;
      if (position >= *x_.sources) continue;  // true also for a port without a place
      for (u32 c = 0; c < classes_of<Team>(s_); ++c) {
        const u32 x = position * classes_of<Team>(s_) + c;
        if (x_.cursor[x] == x_.due[x + 1] || v_.pool.time_ps[x_.source[x_.cursor[x]]] != t) continue;
        const u32 k = x_.cursor[x];
        move_to(x, k + 1);
        Packet packet = v_.pool.packet[x_.source[k]];
        packet.set_ingress_port(in);
        const u32 q = x_.queue_of[k];
        const u32 onward = takes_detours<Team>(s_) ? q % classes_of<Team>(s_) : packet.traffic_class();
        accept(packet, in, first_ - offset_ + q / classes_of<Team>(s_), onward, t);
      }
    }
  }

  HEDDLE_FN void leave(const Packet& packet, u32 link) {
    const CameBy by = came_by_in<Team>(s_, packet);
    charge_ingress(v_, first_ + by.port, packet, by.traffic_class, false);
    charge_egress(v_, link, packet.traffic_class(), -static_cast<i64>(held_at(v_, link, packet)));
  }

  /// Admits a packet from port `in` to the queue of class c at the chosen egress `link`.
  HEDDLE_FN void accept(const Packet& packet, u32 in, u32 link, u32 c, TimePs t) {
    const u32 q = link * classes_of<Team>(s_) + c;
    Queue& queue = v_.queue[q];
    const u32 bytes = held_at(v_, link, packet);
    if (tripped_at(v_, link, c, t, parity_)) return drop_packet(team_, v_, link, packet, DropCause::watchdog, t);
    if (exceeds_queue_limit(v_, link, c, bytes)) {
      return drop_packet(team_, v_, link, packet, DropCause::class_limit, t);
    }
    if (!admit_ingress(team_, v_, first_ + in, packet, t)) return;
    make_room(v_, q, queue, 1, parity_);
    const u32 entry = queue.ring.at(queue.tail);
    v_.pool.packet[entry] = packet;
    if (takes_detours<Team>(s_)) note_turn(v_.pool.packet[entry], in, c);
    v_.pool.time_ps[entry] = t;
    ++queue.tail;
    queue.bytes += bytes;
    charge_ingress(v_, first_ + in, packet, packet.traffic_class(), true);
    charge_egress(v_, link, c, bytes);
    note_admitted(v_, link, c, bytes);
    if (marks_at_arrival<Team>(s_) && marks_class(v_, link, c)) {
      v_.link_tally[link].marks += mark_packet(team_, v_, link, entry, packet, queue.bytes, t);
    }
  }

  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 node_, parity_, first_, ports_, offset_;
};

}  // namespace heddle
