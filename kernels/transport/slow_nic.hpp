// A NIC that drains its receive buffer slower than its line, and pauses its switch port (README, sections 6 and 12.6).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/transport/site.hpp"

namespace heddle {

template <class Team>
class SlowBuffer {
 public:
  HEDDLE_FN explicit SlowBuffer(Site<Team>& site)
      : x_(site), v_(site.v), s_(site.v.settings), slow_(site.nic().slow), port_(site.v.ingress[site.link]) {}

  HEDDLE_FN bool present() const { return slow_.drain_ps_per_byte_q16 != 0; }

  HEDDLE_FN void begin(TimePs from) {
    if (present() && port_.pool != kNone) begin_epoch(v_, port_.pool, from);
  }

  HEDDLE_FN TimePs next_drain_ps() const { return present() ? fifo_due_ps(v_.pool, slow_.buffer) : kNever; }

  /// The first slot at or after `now` while anything is held or paused.
  HEDDLE_FN TimePs next_slot_ps(TimePs now) const {
    if (!present() || port_.profile == kNone) return kNever;
    bool interesting = false;
    for (u32 p = 0; p < s_.pfc_classes; ++p) {
      const Account& account = v_.account[x_.link * s_.pfc_classes + p];
      interesting = interesting || account.occupancy_bytes != 0 || account.pausing;
    }
    const TimePs slot_ps = TimePs{1} << s_.slot_log2;
    return interesting ? (now + slot_ps - 1) & ~(slot_ps - 1) : kNever;
  }

  HEDDLE_FN void sample(TimePs t) {
    for (u32 p = 0; p < s_.pfc_classes; ++p) {
      sample_slot(x_.team, v_, x_.link, p, v_.account[x_.link * s_.pfc_classes + p], t, x_.parity ^ 1,
                  [&](TimePs at) { return busy_until_ps(v_, x_.link, at, x_.parity); });
    }
  }

  /// Packets that are drained by t, in order; `process` gets each when the transport answers at drain.
  template <class Process>
  HEDDLE_FN void drain(TimePs t, const Process& process) {
    while (next_drain_ps() <= t) {
      const Packet packet = v_.pool.packet[slow_.buffer.ring.at(slow_.buffer.head++)];
      charge(packet, false);
      if (s_.roce.ack_at_drain) process(packet);
    }
  }

  /// A packet arrives at t. False: it was dropped, or the transport sees it later.
  HEDDLE_FN bool accept(const Packet& packet, TimePs t) {
    const u32 pfc = s_.pfc_index[packet.traffic_class()];
    if (!present() || pfc == kNone || port_.profile == kNone) return true;
    const Account& account = v_.account[x_.link * s_.pfc_classes + pfc];
    if (static_cast<u64>(account.occupancy_bytes) + packet.frame_bytes() > account_limit_bytes(v_, port_, account)) {
      drop(packet, DropCause::headroom_overrun, t);
      return false;
    }
    if (port_.pool != kNone &&
        v_.pool_state[port_.pool].used_bytes + packet.frame_bytes() > v_.pool_limits[port_.pool].limit_bytes) {
      drop(packet, DropCause::pool_overflow, t);
      return false;
    }
    charge(packet, true);
    slow_.free_ps = (slow_.free_ps > t ? slow_.free_ps : t) + ser_ps(packet.frame_bytes(), slow_.drain_ps_per_byte_q16);
    fifo_push(v_.pool, slow_.buffer, packet, slow_.free_ps);
    return !s_.roce.ack_at_drain;
  }

 private:
  HEDDLE_FN void charge(const Packet& packet, bool arrives) {
    const u64 by = arrives ? packet.frame_bytes() : u64{0} - packet.frame_bytes();
    v_.account[x_.link * s_.pfc_classes + s_.pfc_index[packet.traffic_class()]].occupancy_bytes += static_cast<u32>(by);
    if (port_.pool != kNone) v_.pool_state[port_.pool].used_bytes += by;
  }

  HEDDLE_FN void drop(const Packet& packet, DropCause cause, TimePs t) {
    ++v_.link_tally[x_.link].drops;
    Event event = x_.event(EventKind::drop, t, packet.id(), packet.traffic_class());
    event.detail = static_cast<u32>(cause);
    x_.team_emit(event);
  }

  Site<Team>& x_;
  const View& v_;
  const Settings& s_;
  SlowNic& slow_;
  const IngressPort& port_;
};

}  // namespace heddle
