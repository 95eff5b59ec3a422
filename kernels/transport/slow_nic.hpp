// A NIC that drains its receive buffer slower than its line, and pauses its switch port (MODEL.md, 6.7).
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/admission.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/transport/nic_context.hpp"

namespace heddle {

template <class Team>
class SlowBuffer {
 public:
  HEDDLE_FN explicit SlowBuffer(const NicContext<Team>& context)
      : x_(context), v_(context.v), s_(context.v.settings), slow_(context.nic().slow) {}

  HEDDLE_FN bool present() const { return slow_nics<Team>(s_) && slow_.drain_ps_per_byte_q16 != 0; }

  HEDDLE_FN void begin(TimePs from) {
    if (!present()) return;
    each_port([&](u32 link) {
      if (v_.ingress[link].pool != kNone) begin_epoch(v_, v_.ingress[link].pool, from);
    });
  }

  HEDDLE_FN TimePs next_drain_ps() const { return present() ? slow_.drain_ps : kNever; }

  /// The first slot at or after `now` while any account holds bytes or pauses.
  HEDDLE_FN TimePs next_slot_ps(TimePs now) const {
    if (!present()) return kNever;
    bool interesting = false;
    each_account([&](u32, const Account& account, u32) {
      interesting = interesting || account.occupancy_bytes != 0 || account.pausing;
    });
    return interesting ? first_slot_from(v_, now) : kNever;
  }

  HEDDLE_FN void sample(TimePs t) {
    each_account([&](u32 link, Account& account, u32 p) {
      sample_slot(x_.team, v_, link, p, account, t, x_.parity ^ 1,
                  [&](TimePs at) { return transmitter_free_ps(v_, link, at); });
    });
  }

  /// Drains packets that are due by t, in order; calls `process` with each when the transport answers at drain.
  template <class Process>
  HEDDLE_FN void drain(TimePs t, const Process& process) {
    while (next_drain_ps() <= t) {
      const Packet packet = fifo_pop(v_.pool, slow_.buffer, slow_.drain_ps);
      charge_ingress(v_, link_of(packet), packet, packet.traffic_class(), false);
      if (s_.roce.ack_at_drain) process(packet);
    }
  }

  /// A packet arrives at t. Returns false when it was dropped, or the transport gets it later.
  HEDDLE_FN bool accept(const Packet& packet, TimePs t) {
    const u32 pfc = s_.pfc_index[packet.traffic_class()];
    if (!present() || pfc == kNone || v_.ingress[link_of(packet)].profile == kNone) return true;
    if (!admit_ingress(x_.team, v_, link_of(packet), packet, t)) return false;
    charge_ingress(v_, link_of(packet), packet, packet.traffic_class(), true);
    slow_.free_ps = (slow_.free_ps > t ? slow_.free_ps : t) + ser_ps(packet.frame_bytes(), slow_.drain_ps_per_byte_q16);
    fifo_push(v_.pool, slow_.buffer, slow_.drain_ps, packet, slow_.free_ps);
    return !s_.roce.ack_at_drain;
  }

 private:
  /// The egress of the port by which a packet came.
  HEDDLE_FN u32 link_of(const Packet& packet) const { return x_.link + x_.port_of(packet.dst()); }

  template <class F>
  HEDDLE_FN void each_port(const F& f) const {
    for (u32 p = 0; p < x_.ports(); ++p) f(x_.link + p);
  }
  /// Calls f(egress of the port, account, its number among the classes with PFC).
  template <class F>
  HEDDLE_FN void each_account(const F& f) const {
    each_port([&](u32 link) {
      for (u32 p = 0; p < s_.pfc_classes && v_.ingress[link].profile != kNone; ++p)
        f(link, v_.account[link * s_.pfc_classes + p], p);
    });
  }

  const NicContext<Team>& x_;
  const View& v_;
  const Settings& s_;
  SlowNic& slow_;
};

}  // namespace heddle
