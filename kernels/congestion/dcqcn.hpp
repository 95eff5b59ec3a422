// DCQCN's reaction point, evaluated lazily: a CNP or a start brings the timers up to date (MODEL.md, 8.6 and 8.7).
// State machine after HPCC's "mlx" variant; the byte counter and its stage after the DCQCN paper (SIGCOMM
// 2015).
#pragma once

#include <stdexcept>

#include "kernels/base/bits.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/congestion/control.hpp"
#include "kernels/world/dcqcn_parameters.hpp"

namespace heddle {

/// What kernels read.
struct PreparedDcqcn : DcqcnSettings {
  u32 decay_q32[32];  // (1 - g)^(2^i)

  explicit PreparedDcqcn(const DcqcnSettings& settings) : DcqcnSettings(settings) {
    if (g_q10 == 0 || g_q10 > 1023) throw std::invalid_argument("dcqcn: g must lie between 1/1024 and 1023/1024");
    u64 p = (u64{1} << 32) - (static_cast<u64>(g_q10) << 22);
    for (u32& q : decay_q32) {
      q = static_cast<u32>(p);
      p = (p * p) >> 32;
    }
  }
};

/// Of one sender; touched only when a CNP has come.
struct DcqcnState {
  u64 rate_bps = 0, target_bps = 0;  // 0: no CNP yet, at line rate
  u64 bytes = 0;
  TimePs alpha_due_ps = 0, decrease_due_ps = 0, increase_due_ps = 0;
  u32 alpha_q20 = 0;
  u32 quiet_periods = 0;  // alpha periods without a CNP since alpha_q20 was set
  u32 timer_stage = 0, byte_stage = 0;
  bool cnp_for_alpha = false, cnp_for_decrease = false;
  u32 gap_wire_bytes = 0;  // packet size that gap_ps was computed for, 0: unknown
  TimePs gap_ps = 0;

  HEDDLE_FN bool started() const { return rate_bps != 0; }

  template <class A>
  void fields(A& a) {
    a(rate_bps, target_bps, bytes, alpha_due_ps, decrease_due_ps, increase_due_ps, alpha_q20, quiet_periods,
      timer_stage, byte_stage, cnp_for_alpha, cnp_for_decrease, gap_wire_bytes, gap_ps);
  }
};

/// The reaction point of one sender. All times are instants at which timers with due <= t have fired.
class Dcqcn {
 public:
  using Settings = DcqcnSettings;
  using Prepared = PreparedDcqcn;
  using State = DcqcnState;
  static constexpr bool kIdleUntilSignal = true;

  HEDDLE_FN Dcqcn(const Prepared& settings, State& state, const NicLine& line) : d_(settings), r_(state), line_(line) {}

  HEDDLE_FN bool started() const { return r_.started(); }
  HEDDLE_FN u64 rate_bps() const { return started() ? r_.rate_bps : line_.bps; }
  HEDDLE_FN u32 alpha_q20() const { return decayed_alpha(d_, r_.alpha_q20, r_.quiet_periods); }

  /// alpha after k periods without a CNP, Q20.
  HEDDLE_FN static u32 decayed_alpha(const Prepared& s, u32 alpha_q20, u32 k) {
    u64 alpha = alpha_q20;
    for (u32 i = 0; k != 0 && alpha != 0; ++i, k >>= 1) {
      if (k & 1) alpha = (alpha * s.decay_q32[i]) >> 32;
    }
    return static_cast<u32>(alpha);
  }

  /// Fires every timer due at or before `until`.
  HEDDLE_FN void advance(TimePs until) {
    if (!started()) return;
    for (;;) {
      const TimePs decrease = r_.cnp_for_decrease ? r_.decrease_due_ps : kNever;
      if (decrease <= r_.increase_due_ps) {
        if (decrease > until) break;
        cut(decrease);
      } else {
        if (r_.increase_due_ps > until) break;
        if (settled()) {
          skip_increases(until);
        } else {
          increase(r_.timer_stage);
          r_.increase_due_ps += d_.increase_period_ps;
        }
      }
    }
    advance_alpha(until);
    if (r_.decrease_due_ps <= until) {
      r_.decrease_due_ps += ((until - r_.decrease_due_ps) / d_.decrease_period_ps + 1) * d_.decrease_period_ps;
    }
  }

  /// A CNP arrives at t, before the timers of that instant. True: the wait under way changes.
  HEDDLE_FN bool on_signal(TimePs t) {
    if (!started()) {
      r_.rate_bps = r_.target_bps = line_.bps;
      r_.alpha_q20 = 1u << 20;
      r_.alpha_due_ps = t + d_.alpha_period_ps;
      r_.decrease_due_ps = t + d_.decrease_period_ps;
      r_.increase_due_ps = t + d_.increase_period_ps;
    } else {
      advance(t - 1);
    }
    r_.cnp_for_alpha = r_.cnp_for_decrease = true;
    return d_.pace_follows_rate;
  }

  /// A data packet of `wire_bytes` starts at t, after the timers of that instant.
  HEDDLE_FN void on_start(TimePs t, u32 wire_bytes) {
    advance(t);
    if (!started() || d_.byte_counter_bytes == 0) return;
    r_.bytes += wire_bytes;
    while (r_.bytes >= d_.byte_counter_bytes) {
      r_.bytes -= d_.byte_counter_bytes;
      increase(r_.byte_stage);
    }
  }

  /// The earliest next start, as of a start or a CNP at t.
  HEDDLE_FN TimePs next_timer(TimePs t, TimePs last_start, u32 last_wire_bytes) {
    if (!d_.pace_follows_rate) return last_start + gap(last_wire_bytes);
    return paced_from(t - 1 > last_start ? t - 1 : last_start, last_start, last_wire_bytes);
  }

  HEDDLE_FN u64 digest(u64 h, TimePs now) const {
    State state = r_;
    Dcqcn then(d_, state, line_);
    then.advance(now - 1);
    return absorb_all(h, state.rate_bps, state.target_bps, then.alpha_q20(), state.timer_stage, state.byte_stage);
  }

  const char* problem() const {
    const u64 min_bps = line_.bps < d_.min_rate_bps ? line_.bps : d_.min_rate_bps;
    const u64 max_bps = line_.bps < d_.min_rate_bps ? d_.min_rate_bps : line_.bps;
    const auto inside = [&](u64 bps) { return bps >= min_bps && bps <= max_bps; };
    if (!inside(r_.rate_bps)) return "the DCQCN rate lies outside [min_rate, line]";
    if (!inside(r_.target_bps)) return "the DCQCN target lies outside [min_rate, line]";
    if (r_.alpha_q20 > 1u << 20) return "DCQCN's alpha is above 1";
    return nullptr;
  }

 private:
  /// Earliest instant > now or = last_start.. at which the pace allows the next start, the state being advanced to
  /// `now`.
  HEDDLE_FN TimePs paced_from(TimePs now, TimePs last_start, u32 wire_bytes) {
    TimePs reached = last_start + gap(wire_bytes);
    if (!started() || reached <= now) return reached;
    if (reached < next_change_ps()) return reached;
    State ahead_state = r_;  // the rate will change first: play the timers on a copy
    Dcqcn ahead(d_, ahead_state, line_);
    for (;;) {
      const TimePs change = ahead.next_change_ps();
      if (reached < change) return reached;
      ahead.advance(change);
      reached = last_start + ahead.gap(wire_bytes);
      if (reached < change) reached = change;
    }
  }

  HEDDLE_FN TimePs next_change_ps() const {
    const TimePs decrease = r_.cnp_for_decrease ? r_.decrease_due_ps : kNever;
    const TimePs increase = settled() ? kNever : r_.increase_due_ps;
    return decrease < increase ? decrease : increase;
  }

  HEDDLE_FN TimePs gap(u32 wire_bytes) {
    if (r_.gap_wire_bytes != wire_bytes) {
      r_.gap_ps = line_.gap_ps(wire_bytes, rate_bps());
      r_.gap_wire_bytes = wire_bytes;
    }
    return r_.gap_ps;
  }

  /// Further increases change nothing but the stages.
  HEDDLE_FN bool settled() const {
    return r_.target_bps == line_.bps && ((r_.rate_bps + r_.target_bps) >> 1) == r_.rate_bps;
  }

  HEDDLE_FN void skip_increases(TimePs until) {
    const TimePs n = (until - r_.increase_due_ps) / d_.increase_period_ps + 1;
    r_.increase_due_ps += n * d_.increase_period_ps;
    for (TimePs i = 0; i < n && r_.timer_stage <= d_.fast_recovery_stages; ++i) ++r_.timer_stage;
  }

  HEDDLE_FN void advance_alpha(TimePs until) {
    if (r_.alpha_due_ps > until) return;
    TimePs fires = (until - r_.alpha_due_ps) / d_.alpha_period_ps + 1;
    r_.alpha_due_ps += fires * d_.alpha_period_ps;
    if (r_.cnp_for_alpha) {
      const u32 alpha = decayed_alpha(d_, r_.alpha_q20, r_.quiet_periods);
      r_.alpha_q20 = alpha - static_cast<u32>((static_cast<u64>(alpha) * d_.g_q10) >> 10) + (d_.g_q10 << 10);
      r_.quiet_periods = 0;
      r_.cnp_for_alpha = false;
      --fires;
    }
    const u64 quiet = r_.quiet_periods + static_cast<u64>(fires);
    r_.quiet_periods = quiet > 0x7fffffff ? 0x7fffffffu : static_cast<u32>(quiet);
  }

  HEDDLE_FN void cut(TimePs t) {
    advance_alpha(t);
    if (d_.clamp_target || r_.timer_stage != 0 || r_.byte_stage != 0) r_.target_bps = r_.rate_bps;
    const u64 alpha = decayed_alpha(d_, r_.alpha_q20, r_.quiet_periods);
    const u64 rate = r_.rate_bps - ((r_.rate_bps * alpha) >> 21);
    r_.rate_bps = rate < d_.min_rate_bps ? d_.min_rate_bps : rate;
    r_.timer_stage = r_.byte_stage = 0;
    r_.bytes = 0;
    r_.gap_wire_bytes = 0;
    r_.increase_due_ps = t + d_.increase_period_ps;
    r_.decrease_due_ps = t + d_.decrease_period_ps;
    r_.cnp_for_decrease = false;
  }

  HEDDLE_FN void increase(u32& stage) {
    const u32 f = d_.fast_recovery_stages;
    const bool both = d_.byte_counter_bytes != 0;
    const u32 high = both && r_.byte_stage > r_.timer_stage ? r_.byte_stage : r_.timer_stage;
    const u32 low = both && r_.byte_stage < r_.timer_stage ? r_.byte_stage : r_.timer_stage;
    if (high >= f) {
      const u64 step = low > f ? d_.rate_hai_bps : d_.rate_ai_bps;
      r_.target_bps = r_.target_bps + step < line_.bps ? r_.target_bps + step : line_.bps;
    }
    r_.rate_bps = (r_.rate_bps + r_.target_bps) >> 1;
    if (stage <= f) ++stage;  // stages beyond F + 1 are all alike
    r_.gap_wire_bytes = 0;
  }

  const Prepared& d_;
  State& r_;
  const NicLine line_;
};

}  // namespace heddle
