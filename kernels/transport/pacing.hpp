// A sender as its congestion control sees it: its starts, CNPs and ACKs, its pace and its window (MODEL.md, 8.6
// and 8.7).
#pragma once

#include "kernels/congestion/controls.hpp"
#include "kernels/state/pairs.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// Sender `n` of a NIC, with index `index` in this process. Hooks that a control does not have cost nothing.
template <class Controls>
struct PacedSenderOf {
  const View& v;
  const typename Controls::Arrays& controls;
  Nic& nic;
  u32 endpoint, n, index;

  /// Packet `psn` starts at t: when the next one may.
  HEDDLE_FN TimePs pace_after_start(u32 psn, u32 wire, TimePs t) const {
    return visit([own = *this, psn, wire, t](auto tag) HEDDLE_INLINE_LAMBDA {
      return own.template after_start<typename decltype(tag)::Control>(psn, wire, t);
    });
  }

  /// A CNP arrives at t.
  HEDDLE_FN void slow_down(TimePs t) const {
    visit([own = *this, t](auto tag)
              HEDDLE_INLINE_LAMBDA { own.template after_signal<typename decltype(tag)::Control>(t); });
  }

  /// An ACK at t has advanced una by `acked` packets.
  HEDDLE_FN void note_ack(u32 acked, TimePs t) const {
    visit([own = *this, acked, t](auto tag)
              HEDDLE_INLINE_LAMBDA { own.template after_ack<typename decltype(tag)::Control>(acked, t); });
  }

  /// Whether the control's window lets a packet start beside `outstanding` ones.
  HEDDLE_FN bool window_is_open(u32 outstanding) const {
    return visit([own = *this, outstanding](auto tag) HEDDLE_INLINE_LAMBDA {
      return own.template is_open<typename decltype(tag)::Control>(outstanding);
    });
  }

 private:
  template <class F>
  HEDDLE_FN auto visit(const F& f) const {
    return Controls::visit(v.settings.congestion.number, f);
  }

  template <class Control>
  HEDDLE_FN TimePs after_start(u32 psn, u32 wire, TimePs t) const {
    const NicLine line = nic_line(v, nic);
    const ControlArrays<Control>& arrays = controls.template of<Control>();
    typename Control::State& kept = arrays.state[index];
    if (!kept.started()) {
      if constexpr (Control::kIdleUntilSignal) {
        if (nic.line_gap_wire_bytes != wire) {
          nic.line_gap_wire_bytes = wire;
          nic.line_gap_ps = line.gap_ps(wire, line.bps);
        }
        return t + nic.line_gap_ps;
      } else {
        charge(arrays.state);
      }
    }
    typename Control::State state = kept;  // in registers: read at once, written at once
    if constexpr (ReadsAcks<Control>) state.round_trip.on_start(psn, t);
    Control control(*arrays.settings, state, line);
    control.on_start(t, wire);
    const TimePs pace_ps = control.next_timer(t, t, wire);
    kept = state;
    return pace_ps;
  }

  template <class Control>
  HEDDLE_FN void after_signal(TimePs t) const {
    if constexpr (UsesCnps<typename Control::Settings>)
      change<Control>(t, [t](Control& control, auto&) { return control.on_signal(t); });
  }

  template <class Control>
  HEDDLE_FN void after_ack(u32 acked, TimePs t) const {
    if constexpr (ReadsAcks<Control>) {
      static_assert(!Control::kIdleUntilSignal, "packets of idle senders are not timed");
      change<Control>(t, [una = v.endpoint.sender[index].una, acked, t](Control& control, auto& state) {
        return control.on_ack(t, state.round_trip.on_ack(una, t), acked);
      });
    }
  }

  template <class Control>
  HEDDLE_FN bool is_open([[maybe_unused]] u32 outstanding) const {
    if constexpr (HasWindow<Control>) {
      const ControlArrays<Control>& arrays = controls.template of<Control>();
      typename Control::State state = arrays.state[index];
      return !state.started() || outstanding < Control(*arrays.settings, state, nic_line(v, nic)).window_packets();
    } else {
      return true;
    }
  }

  /// f(control, state) says whether the wait under way changes. A pace that was reached before t stays reached.
  template <class Control, class F>
  HEDDLE_FN void change(TimePs t, const F& f) const {
    Sender& q = v.endpoint.sender[index];
    const ControlArrays<Control>& arrays = controls.template of<Control>();
    typename Control::State& kept = arrays.state[index];
    if (!kept.started()) charge(arrays.state);
    typename Control::State state = kept;
    Control control(*arrays.settings, state, nic_line(v, nic));
    const bool changes = f(control, state);
    if (changes && q.last_wire_bytes != 0 && q.pace_ps >= t) {
      const TimePs pace_ps = control.next_timer(t, q.last_start_ps, q.last_wire_bytes);
      q.pace_ps = pace_ps < t ? t : pace_ps;
    }
    kept = state;
  }

  template <class State>
  HEDDLE_FN void charge(const State* states) const {
    const PairsRank pairs(v, endpoint);
    if (pairs.present()) pairs.charge_control(n, [states](u32 i) { return states[i].started(); });
  }
};

using PacedSender = PacedSenderOf<CongestionControls>;

}  // namespace heddle
