// What a congestion control is made of. Its settings stand in kernels/world/congestion.hpp; its rule is one file of
// this folder and one line in controls.hpp, a class with
//
//   using Settings = ...;  // of kernels/world
//   using Prepared = ...;  // plain data that kernels read, made of Settings; refuses them by std::invalid_argument
//   using State = ...;     // plain data, of every sender; all zero until something happens to that sender
//   static constexpr bool kIdleUntilSignal = ...;  // a sender goes at line rate, without a state, until its first CNP
//   HEDDLE_FN Control(const Prepared&, State&, const NicLine&);  // one sender
//   HEDDLE_FN void on_start(TimePs t, u32 wire_bytes);        // a data packet starts
//   HEDDLE_FN TimePs next_timer(TimePs t, TimePs last_start, u32 last_wire_bytes);  // when the next packet may start
//   HEDDLE_FN u64 digest(u64 h, TimePs now) const;  // h with what the state is just before `now`
//   const char* problem() const;                    // an invariant that does not hold, or null
//
// where it needs them, of
//
//   HEDDLE_FN bool on_signal(TimePs t);      // a CNP arrives; Settings has a cnp_gap_ps, and so receivers answer marks
//   HEDDLE_FN bool on_ack(TimePs t, TimePs rtt_ps, u32 acked_packets);  // State has a RoundTripTimer round_trip
//   HEDDLE_FN u32 window_packets() const;    // that may be outstanding, at least 1; roce.window_packets holds as well
//
// and a State that offers
//
//   HEDDLE_FN bool started() const;          // whether anything has happened: never when all is zero
//   template <class A> void fields(A& a);    // a(...) of all its fields: what a checkpoint holds
//
// - next_timer() is asked right after on_start(), and after on_signal() and on_ack() that return true. It says exactly
//   when the next packet may start, as nobody asks before the next of these. Waits come from NicLine::gap_ps().
// - A CNP at t comes before what falls due at t, a start after it. A pace that was reached before t stays reached.
// - started() is true after on_signal(), and after on_start(); with kIdleUntilSignal nobody calls on_start() before.
// - digest() and checkpoints come at any time: a state that is brought up to date late, as in dcqcn.hpp, must be so on
//   a copy in digest(), and it must give the same whether it is asked often or seldom.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The line of a NIC, which its senders share.
struct NicLine {
  u64 bps;
  bool whole_nanoseconds;  // waits for the pace are cut to these, as the times of links are

  /// Least t with t * rate >= wire bits * 10^12.
  HEDDLE_FN TimePs gap_ps(u32 wire_bytes, u64 rate_bps) const {
    const TimePs gap =
        static_cast<TimePs>((static_cast<u64>(wire_bytes) * 8 * 1'000'000'000'000ull + rate_bps - 1) / rate_bps);
    return whole_nanoseconds ? gap - gap % 1000 : gap;
  }
};

/// Times a sender's packets one after the other: a sample each round trip, of 16 bytes. One that is sent again counts
/// from its last start.
struct RoundTripTimer {
  TimePs start_ps = 0;
  u32 psn = 0;
  bool timing = false;

  HEDDLE_FN void on_start(u32 started, TimePs t) {
    if (timing && static_cast<i32>(started - psn) > 0) return;
    start_ps = t;
    psn = started;
    timing = true;
  }

  /// All before `una` is acknowledged at t. 0: the packet that is timed is not.
  HEDDLE_FN TimePs on_ack(u32 una, TimePs t) {
    if (!timing || static_cast<i32>(una - psn) <= 0) return 0;
    timing = false;
    return t - start_ps;
  }
};

template <class Control>
concept ReadsAcks = requires(Control& c) {
  c.on_ack(TimePs{}, TimePs{}, u32{});
};

template <class Control>
concept HasWindow = requires(const Control& c) {
  c.window_packets();
};

}  // namespace heddle
