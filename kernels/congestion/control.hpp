// What a congestion control is made of. A control is one file of this folder and one line in controls.hpp: a class with
//
//   using Settings = ...;  // plain data; set_up() makes of it what a configuration does not say
//   using State = ...;     // plain data, of every sender; all zero until something happens to that sender
//   static constexpr ControlInfo kInfo = {...};
//   static std::span<const Parameter<Settings>> parameters();           // the section [NAME] of a configuration
//   static Settings preset(std::string_view name, u64 line_bps);        // of kInfo.presets, if it has any
//   static void set_up(Settings&);                                      // throws std::invalid_argument to refuse
//   HEDDLE_FN Control(const Settings&, State&, const Line&);            // one sender
//   HEDDLE_FN TimePs on_start(TimePs t, u32 wire_bytes);                // a data packet starts: when the next may
//   HEDDLE_FN void on_cnp(TimePs t);                                    // only with kInfo.uses_cnps, as is the next
//   HEDDLE_FN TimePs repaced(TimePs pace_ps, TimePs t, TimePs last_start, u32 last_wire_bytes);
//   HEDDLE_FN u64 digest(u64 h, TimePs now) const;                      // h with what the state is just before `now`
//   const char* problem() const;                                        // an invariant that does not hold, or null
//
// and a State that offers
//
//   HEDDLE_FN bool started() const;                 // whether anything has happened: never when all is zero
//   template <class A> void fields(A& a);           // a(...) of all its fields: what a checkpoint holds
//
// A control sees the starts and CNPs of its own sender, and the line; nothing else. It must give the same whether it is
// asked often or seldom: digest() and checkpoints come at any time.
#pragma once

#include "kernels/congestion/control_info.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// The line of a NIC, which its senders share.
struct Line {
  u64 bps;
  bool whole_nanoseconds;  // waits for the pace are cut to these, as the times of links are

  /// Least t with t * rate >= wire bits * 10^12.
  HEDDLE_FN TimePs gap_ps(u32 wire_bytes, u64 rate_bps) const {
    const TimePs gap =
        static_cast<TimePs>((static_cast<u64>(wire_bytes) * 8 * 1'000'000'000'000ull + rate_bps - 1) / rate_bps);
    return whole_nanoseconds ? gap - gap % 1000 : gap;
  }
};

template <class Control>
HEDDLE_FN const typename Control::Settings& control_settings(const View& v) {
  return *reinterpret_cast<const typename Control::Settings*>(v.endpoint.control_settings);
}

/// Of all senders of this process.
template <class Control>
HEDDLE_FN typename Control::State* control_states(const View& v) {
  return reinterpret_cast<typename Control::State*>(v.endpoint.control_state);
}

HEDDLE_FN Line line_of(const View& v, const Nic& nic) {
  return {nic.line_bps, v.settings.congestion.whole_nanoseconds};
}

}  // namespace heddle
