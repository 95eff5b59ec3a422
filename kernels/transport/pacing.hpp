// The pace that a congestion control gives a sender after a start, and after a CNP (MODEL.md, 8.6).
#pragma once

#include "kernels/congestion/controls.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Sender `n` of a NIC, with index `index` in this process.
struct PacedSender {
  const View& v;
  Nic& nic;
  u32 endpoint, n, index;

  /// Returns when the next packet may start, after a packet that starts at t.
  HEDDLE_FN TimePs pace_after_start(u32 wire, TimePs t) const {
    return CongestionControls::visit(v.settings.congestion.number,
                                     [own = *this, wire, t](auto tag) HEDDLE_INLINE_LAMBDA {
                                       return own.template after_start<typename decltype(tag)::Control>(wire, t);
                                     });
  }

  /// A CNP arrives at t.
  HEDDLE_FN void slow_down(TimePs t) const {
    CongestionControls::visit(v.settings.congestion.number, [own = *this, t](auto tag) HEDDLE_INLINE_LAMBDA {
      own.template after_cnp<typename decltype(tag)::Control>(t);
    });
  }

 private:
  template <class Control>
  HEDDLE_FN TimePs after_start(u32 wire, TimePs t) const {
    const Line line = line_of(v, nic);
    typename Control::State& kept = control_states<Control>(v)[index];
    if (!kept.started()) {
      if constexpr (Control::kInfo.idle_until_cnp) {
        if (nic.line_gap_wire_bytes != wire) {
          nic.line_gap_wire_bytes = wire;
          nic.line_gap_ps = line.gap_ps(wire, line.bps);
        }
        return t + nic.line_gap_ps;
      } else {
        charge<Control>();
      }
    }
    typename Control::State state = kept;  // in registers: one read, one write
    const TimePs pace_ps = Control(control_settings<Control>(v), state, line).on_start(t, wire);
    kept = state;
    return pace_ps;
  }

  template <class Control>
  HEDDLE_FN void after_cnp(TimePs t) const {
    if constexpr (Control::kInfo.uses_cnps) {
      Sender& q = v.endpoint.sender[index];
      typename Control::State& kept = control_states<Control>(v)[index];
      if (!kept.started()) charge<Control>();
      typename Control::State state = kept;
      Control control(control_settings<Control>(v), state, line_of(v, nic));
      control.on_cnp(t);
      q.pace_ps = control.repaced(q.pace_ps, t, q.last_start_ps, q.last_wire_bytes);
      kept = state;
    }
  }

  template <class Control>
  HEDDLE_FN void charge() const {
    const PairsRank pairs(v, endpoint);
    if (!pairs.present()) return;
    pairs.charge_control(n, [states = control_states<Control>(v)](u32 i) { return states[i].started(); });
  }
};

}  // namespace heddle
