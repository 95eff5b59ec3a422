// Postconditions of each phase of a switch pass, for builds with HEDDLE_CHECK. Whole-state invariants hold only between
// ticks, so these check what the phase has just done.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/state/broken_phase.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// The phases of one window, which starts at `from`. Each function checks after one phase; on false it has recorded a
/// violation, and the next phase must not run.
template <class Team>
class SwitchPhases {
 public:
  HEDDLE_FN SwitchPhases(const SwitchContext<Team>& context, TimePs from)
      : team_(context.team),
        v_(context.v),
        s_(context.s),
        x_(context.x),
        first_link_(context.first_link),
        queues_(context.dropped),
        from_(from) {}

  /// Every arrival is counted for one egress queue.
  HEDDLE_FN bool routed(u32 packets) const {
    return phase(1, [&](u32) {
      u64 counted = 0;
      for (u32 q = 0; q <= queues_; ++q) counted += x_.counted[q];  // the last counts dropped arrivals
      return counted == packets || broken(PhaseRule::packets_routed, 0, counted, packets);
    });
  }

  /// Keys are grouped by egress queue, each once, in order of time.
  HEDDLE_FN bool ordered(u32 packets) const {
    return phase(1, [&](u32) {
      u64 numbers = 0;
      for (u32 z = 0; z < *x_.listed * classes_of<Team>(s_); ++z) {
        for (u32 k = x_.run[z]; k < x_.run[z + 1]; ++k) {
          const u64 dt = x_.spare[k] >> 36, before = k == x_.run[z] ? 0 : x_.spare[k - 1] >> 36;
          if (dt < before) return broken(PhaseRule::order_of_time, x_.list[z / classes_of<Team>(s_)], dt, before);
        }
      }
      for (u32 k = 0; k < packets; ++k) numbers += x_.spare[k] & 0xffffff;
      const u64 all = static_cast<u64>(packets) * (packets - u64{packets != 0}) / 2;
      return numbers == all || broken(PhaseRule::packets_ordered, 0, numbers, all);
    });
  }

  /// Every egress queue has grown by the arrivals ordered for it.
  HEDDLE_FN bool enqueued() const {
    return phase(*x_.listed * classes_of<Team>(s_), [&](u32 z) {
      const u32 i = x_.list[z / classes_of<Team>(s_)];
      const Queue& queue = v_.queue[(first_link_ + i) * classes_of<Team>(s_) + z % classes_of<Team>(s_)];
      const u32 added = queue.tail - x_.fresh[z], ordered = x_.run[z + 1] - x_.run[z];
      if (added != ordered) return broken(PhaseRule::packets_enqueued, i, added, ordered);
      u64 bytes = 0;
      for (u32 p = queue.sent; p != queue.tail; ++p)
        bytes += held_bytes(v_.pool.packet[queue.ring.at(p)].frame_bytes(), v_.egress[first_link_ + i].cell_bytes);
      return queue.bytes == bytes || broken(PhaseRule::bytes_enqueued, i, queue.bytes, bytes);
    });
  }

  /// No egress has started more packets than it had, no account releases more bytes than it holds.
  HEDDLE_FN bool served() const {
    const bool starts = phase(*x_.listed * classes_of<Team>(s_), [&](u32 y) {
      const u32 i = x_.list[y / classes_of<Team>(s_)];
      const Queue& queue = v_.queue[(first_link_ + i) * classes_of<Team>(s_) + y % classes_of<Team>(s_)];
      const i32 beyond = static_cast<i32>(queue.sent - queue.tail);
      return beyond <= 0 || broken(PhaseRule::packets_served, i, static_cast<u32>(beyond), 0);
    });
    return starts && phase(*x_.listed * pfc_classes_of<Team>(s_), [&](u32 y) {
             const u32 i = x_.list[y / pfc_classes_of<Team>(s_)],
                       a = i * pfc_classes_of<Team>(s_) + y % pfc_classes_of<Team>(s_);
             if (v_.ingress[first_link_ + i].profile == kNone) return true;
             const u64 most =
                 u64{v_.account[first_link_ * pfc_classes_of<Team>(s_) + a].occupancy_bytes} + x_.arrived[a];
             return x_.released[a] <= most || broken(PhaseRule::bytes_released, i, x_.released[a], most);
           });
  }

  /// No more packets were taken off a wire than were published on it.
  HEDDLE_FN bool taken(u32 parity) const {
    return phase(*x_.sources * classes_of<Team>(s_), [&](u32 y) {
      const u32 i = x_.list[y / classes_of<Team>(s_)];
      const u32 q = v_.egress[first_link_ + i].reverse * classes_of<Team>(s_) + y % classes_of<Team>(s_);
      const u32 first = v_.head[parity][q];
      const u32 took = v_.head[parity ^ 1][q] - first, there = v_.published[parity][q].sent - first;
      return took <= there || broken(PhaseRule::packets_taken, i, took, there);
    });
  }

 private:
  /// Returns whether f(i) is true for all i < n.
  template <class F>
  HEDDLE_FN bool phase(u32 n, const F& f) const {
    team_.each(1, [&](u32) { *x_.broken = 0; });
    team_.each(n, [&](u32 i) {
      if (!f(i)) *x_.broken = 1;
    });
    const bool well = *x_.broken == 0;
    team_.each(0, [](u32) {});  // all lanes have read it before the next phase clears it
    return well;
  }

  /// Records a violation and returns false. `i` is a port, in the team's numbering.
  HEDDLE_FN bool broken(PhaseRule rule, u32 i, u64 is, u64 must) const {
    report_broken(v_, rule, v_.link_node[first_link_ + i], from_, static_cast<i64>(is), static_cast<i64>(must));
    return false;
  }

  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 first_link_;
  const u32 queues_;
  const TimePs from_;
};

}  // namespace heddle
