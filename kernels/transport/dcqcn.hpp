// DCQCN's reaction point, evaluated lazily: a CNP or a start brings the timers up to date (MODEL.md, 8.6 and 8.7).
// State machine after HPCC's "mlx" variant; the byte counter and its stage after the DCQCN paper (SIGCOMM
// 2015).
#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/state/view.hpp"

namespace heddle {

/// alpha after k periods without a CNP, Q20.
HEDDLE_FN u32 decayed_alpha(const Settings& s, u32 alpha_q20, u32 k) {
  u64 alpha = alpha_q20;
  for (u32 i = 0; k != 0 && alpha != 0; ++i, k >>= 1) {
    if (k & 1) alpha = (alpha * s.decay_q32[i]) >> 32;
  }
  return static_cast<u32>(alpha);
}

/// Least t with t * rate >= wire bits * 10^12; cut to whole nanoseconds where the links' times are.
HEDDLE_FN TimePs gap_ps(const DcqcnSettings& d, u32 wire_bytes, u64 rate_bps) {
  const TimePs gap =
      static_cast<TimePs>((static_cast<u64>(wire_bytes) * 8 * 1'000'000'000'000ull + rate_bps - 1) / rate_bps);
  return d.whole_nanoseconds ? gap - gap % 1000 : gap;
}

/// The reaction point of one sender. All times are instants at which timers with due <= t have fired.
class ReactionPoint {
 public:
  HEDDLE_FN ReactionPoint(const Settings& settings, RateState& state, u64 line_bps)
      : s_(settings), d_(settings.dcqcn), r_(state), line_bps_(line_bps) {}

  HEDDLE_FN bool started() const { return r_.rate_bps != 0; }
  HEDDLE_FN u64 rate_bps() const { return started() ? r_.rate_bps : line_bps_; }

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

  /// A CNP arrives at t, before the timers of that instant.
  HEDDLE_FN void on_cnp(TimePs t) {
    if (!started()) {
      r_.rate_bps = r_.target_bps = line_bps_;
      r_.alpha_q20 = 1u << 20;
      r_.alpha_due_ps = t + d_.alpha_period_ps;
      r_.decrease_due_ps = t + d_.decrease_period_ps;
      r_.increase_due_ps = t + d_.increase_period_ps;
    } else {
      advance(t - 1);
    }
    r_.cnp_for_alpha = r_.cnp_for_decrease = true;
  }

  /// A data packet of `wire_bytes` starts at t (timers up to t have fired). Returns the earliest next start.
  HEDDLE_FN TimePs on_start(TimePs t, u32 wire_bytes) {
    if (started() && d_.byte_counter_bytes != 0) {
      r_.bytes += wire_bytes;
      while (r_.bytes >= d_.byte_counter_bytes) {
        r_.bytes -= d_.byte_counter_bytes;
        increase(r_.byte_stage);
      }
    }
    return d_.pace_follows_rate ? paced_from(t, t, wire_bytes) : t + gap(wire_bytes);
  }

  /// A CNP at t may have delayed a packet that was still waiting for its pace, `pace_ps`. Returns what that is now.
  HEDDLE_FN TimePs repaced(TimePs pace_ps, TimePs t, TimePs last_start, u32 last_wire_bytes) {
    if (last_wire_bytes == 0 || pace_ps < t || !d_.pace_follows_rate) return pace_ps;
    const TimePs from = t - 1 > last_start ? t - 1 : last_start;
    const TimePs now = paced_from(from, last_start, last_wire_bytes);
    return now < t ? t : now;
  }

 private:
  /// Earliest instant > now or = last_start.. at which the pace allows the next start, the state being advanced to
  /// `now`.
  HEDDLE_FN TimePs paced_from(TimePs now, TimePs last_start, u32 wire_bytes) {
    TimePs reached = last_start + gap(wire_bytes);
    if (!started() || reached <= now) return reached;
    if (reached < next_change_ps()) return reached;
    RateState ahead_state = r_;  // the rate will change first: play the timers on a copy
    ReactionPoint ahead(s_, ahead_state, line_bps_);
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
      r_.gap_ps = gap_ps(d_, wire_bytes, rate_bps());
      r_.gap_wire_bytes = wire_bytes;
    }
    return r_.gap_ps;
  }

  /// Further increases change nothing but the stages.
  HEDDLE_FN bool settled() const {
    return r_.target_bps == line_bps_ && ((r_.rate_bps + r_.target_bps) >> 1) == r_.rate_bps;
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
      const u32 alpha = decayed_alpha(s_, r_.alpha_q20, r_.quiet_periods);
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
    const u64 alpha = decayed_alpha(s_, r_.alpha_q20, r_.quiet_periods);
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
      r_.target_bps = r_.target_bps + step < line_bps_ ? r_.target_bps + step : line_bps_;
    }
    r_.rate_bps = (r_.rate_bps + r_.target_bps) >> 1;
    if (stage <= f) ++stage;  // stages beyond F + 1 are all alike
    r_.gap_wire_bytes = 0;
  }

  const Settings& s_;
  const DcqcnSettings& d_;
  RateState& r_;
  const u64 line_bps_;
};

}  // namespace heddle
