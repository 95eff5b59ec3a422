// PFC accounts and pools of a switch pass: departures release bytes, and windows are settled.
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/units.hpp"
#include "kernels/fabric/admission.hpp"
#include "kernels/fabric/came_by.hpp"
#include "kernels/fabric/queue.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/thresholds.hpp"
#include "kernels/state/plain.hpp"

namespace heddle {

/// Adds to the pool of ingress `port` what its `account` has taken and given back in a window, before which its part of
/// the shared memory was `shared_before`.
template <class Team>
HEDDLE_FN void settle_pool(const Team& team, const View& v, const IngressPort& port, const Account& account,
                           u32 arrived, u32 released, u64 shared_before) {
  if (port.pool == kNone) return;
  team.add(v.pool_state[port.pool].used_bytes, static_cast<u64>(arrived) - released);
  team.add(v.pool_state[port.pool].shared_used_bytes,
           shared_part_bytes(v.ingress_profile[port.profile], account) - shared_before);
}

/// The accounts over one window, which starts at `from`.
template <class Team>
class SwitchAccounts {
 public:
  HEDDLE_FN SwitchAccounts(const SwitchContext<Team>& context, TimePs from)
      : context_(context),
        team_(context.team),
        v_(context.v),
        s_(context.s),
        x_(context.x),
        first_link_(context.first_link),
        from_(from) {}

  /// A packet starts at an egress: releases its bytes from its ingress account. A port that is not listed has none,
  /// because ports with packets in accounts are visited in every tick. `first_port` is port 0 of the switch, in this
  /// team.
  HEDDLE_FN void release(const Packet& packet, TimePs start, u32 first_port, u32 cell_bytes) const {
    const CameBy by = came_by_in<Team>(s_, packet);
    const u32 pfc = pfc_index_of<Team>(s_, by.traffic_class);
    const u32 in = first_port + by.port;
    if (pfc == kNone || x_.place[in] == 0) return;
    const u32 a = in * pfc_classes_of<Team>(s_) + pfc;
    const u32 held = held_bytes(packet.frame_bytes(), cell_bytes);
    team_.add(x_.released[a], held);
    if (x_.watched[a]) team_.add(bins_of(a)[slot_of(start) - slot_of(from_)], held);
  }

  /// Adds to the pools what queues with a dynamic limit have taken or released in this window.
  template <class Service>
  HEDDLE_FN void settle_best_effort(u32 i, const Service& service) const {
    const u32 link = first_link_ + i;
    for (u32 left = s_.dynamic_limit_mask; left != 0; left &= left - 1) {
      const u32 c = lowest_bit(left);
      if (!limit_is_dynamic(v_, link, c)) continue;
      PoolState& pool = v_.pool_state[v_.ingress[link].pool];
      const u64 with_arrivals = v_.queue[link * classes_of<Team>(s_) + c].bytes;  // before the window was served
      const u64 by = x_.arriving[i * classes_of<Team>(s_) + c] + service.queue_bytes(c) - with_arrivals;
      team_.add(pool.used_bytes, by);
      team_.add(pool.shared_used_bytes, by);
    }
  }

  /// Settles ingress accounts at the end `to` of the window; samples the slots of accounts that pause or may have to.
  HEDDLE_FN void settle(TimePs to) const {
    context_.for_listed(pfc_classes_of<Team>(s_), [&](u32 i, u32 p, u32 z) {
      const u32 a = i * pfc_classes_of<Team>(s_) + p;
      const u32 own = first_link_ + i;
      const IngressPort& port = v_.ingress[own];
      if (port.profile == kNone || (x_.arrived[a] | x_.released[a] | x_.watched[a]) == 0) return;
      Account& account = v_.account[first_link_ * pfc_classes_of<Team>(s_) + a];
      const u32 after = account.occupancy_bytes + x_.arrived[a] - x_.released[a];
      const u64 shared_before = shared_part_bytes(v_.ingress_profile[port.profile], account);
      if (x_.watched[a]) {
        sample_slots(a, z, own, account, to);
        x_.busy[i] = 1;
      }
      account.occupancy_bytes = after;
      settle_pool(team_, v_, port, account, x_.arrived[a], x_.released[a], shared_before);
    });
  }

 private:
  HEDDLE_FN u32 slot_of(TimePs t) const { return static_cast<u32>(t >> s_.slot_log2); }
  HEDDLE_FN u32* bins_of(u32 a) const { return x_.bin + static_cast<u64>(a) * x_.bins; }

  /// Samples the slots of account `a`, of class z % pfc_classes at place z / pfc_classes of the list.
  HEDDLE_FN void sample_slots(u32 a, u32 z, u32 own, Account& account, TimePs to) const {
    const u32 pfc = z % pfc_classes_of<Team>(s_);
    const u32 x = z / pfc_classes_of<Team>(s_) * classes_of<Team>(s_) + s_.pfc_class[pfc];
    const TimePs slot_ps = TimePs{1} << s_.slot_log2;
    u32 k = x_.due[x];
    u32 bin = 0;
    for (TimePs t = first_slot_from(v_, from_); t < to; t += slot_ps) {
      for (; k < x_.due[x + 1]; ++k) {
        if (x_.source[k] == kNone) continue;  // dropped
        if (v_.pool.time_ps[x_.source[k]] >= t) break;
        account.occupancy_bytes += held_at(v_, own, v_.pool.packet[x_.source[k]]);
      }
      for (; bin < slot_of(t) - slot_of(from_); ++bin) account.occupancy_bytes -= bins_of(a)[bin];
      sample_slot(team_, v_, own, pfc, account, t, context_.parity ^ 1,
                  [&](TimePs at) { return busy_until_ps(v_, own, at, context_.parity); });
    }
  }

  const SwitchContext<Team>& context_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 first_link_;
  const TimePs from_;
};

}  // namespace heddle
