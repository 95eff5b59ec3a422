// DCQCN's reaction point, evaluated lazily: a CNP or a start brings the timers up to date (MODEL.md, 8.6 and 8.7).
// State machine after HPCC's "mlx" variant; the byte counter and its stage after the DCQCN paper (SIGCOMM
// 2015).
#pragma once

#include <stdexcept>

#include "kernels/base/bits.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/congestion/control.hpp"

namespace heddle {

/// Rates in bit/s. The initialisers are ConnectX firmware's, without its byte counter.
struct DcqcnSettings {
  u32 g_q10 = 5;
  TimePs alpha_period_ps = 1'000'000;
  TimePs decrease_period_ps = 4'000'000;
  TimePs increase_period_ps = 300'000'000;
  u64 byte_counter_bytes = 0;  // 0 = none
  u32 fast_recovery_stages = 1;
  u64 rate_ai_bps = 5'000'000;
  u64 rate_hai_bps = 50'000'000;
  u64 min_rate_bps = 1'000'000;
  TimePs cnp_gap_ps = 4'000'000;  // receiver: at least this long between two CNPs of a QP
  bool clamp_target = false;      // decrease always sets the target, not only after an increase
  bool pace_follows_rate = true;  // a wait under way gets shorter or longer with the rate
  u32 decay_q32[32] = {};         // (1 - g)^(2^i), by set_up
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

/// [dcqcn], after the preset. Rates of the preset `hpcc` are already scaled to the line here.
inline constexpr Parameter<DcqcnSettings> kDcqcnParameters[] = {
    {.key = "g_1024",
     .field = &DcqcnSettings::g_q10,
     .min = 1,
     .max = 1023,
     .help = "gain of alpha in 1/1024: alpha = (1-g) alpha + g",
     .source = "DOCA 5/1024; HPCC and DCQCN 2015 1/256"},
    {.key = "alpha_period",
     .field = &DcqcnSettings::alpha_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e12,
     .help = "between two updates of alpha",
     .source = "DOCA 1 us; HPCC 1 us; DCQCN 2015 55 us"},
    {.key = "decrease_period",
     .field = &DcqcnSettings::decrease_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e12,
     .help = "at most one rate cut in this time",
     .source = "DOCA 4 us; HPCC 4 us; DCQCN 2015 50 us"},
    {.key = "increase_period",
     .field = &DcqcnSettings::increase_period_ps,
     .quantity = Quantity::time_ps,
     .min = 1000,
     .max = 1e13,
     .help = "of the rate increase timer",
     .source = "DOCA 300 us; HPCC 300 us; DCQCN 2015 55 us"},
    {.key = "byte_counter",
     .field = &DcqcnSettings::byte_counter_bytes,
     .quantity = Quantity::bytes,
     .max = 1e15,
     .help = "bytes between two increases by volume; 0 = none",
     .source = "DOCA 32767 (unit disputed, read as 64 B); HPCC none; DCQCN 2015 10 MB"},
    {.key = "fast_recovery_stages",
     .field = &DcqcnSettings::fast_recovery_stages,
     .max = 1000,
     .help = "increases that only go half way back to the target (F)",
     .source = "DOCA 1; HPCC 1; DCQCN 2015 5"},
    {.key = "rate_ai",
     .field = &DcqcnSettings::rate_ai_bps,
     .quantity = Quantity::bits_per_s,
     .max = 1e13,
     .help = "additive increase of the target",
     .source = "DOCA 5 Mb/s; HPCC 5 Mb/s per 25G; DCQCN 2015 40 Mb/s"},
    {.key = "rate_hai",
     .field = &DcqcnSettings::rate_hai_bps,
     .quantity = Quantity::bits_per_s,
     .max = 1e13,
     .help = "hyper increase of the target",
     .source = "DOCA 50 Mb/s; HPCC 50 Mb/s per 25G; DCQCN 2015 does without"},
    {.key = "min_rate",
     .field = &DcqcnSettings::min_rate_bps,
     .quantity = Quantity::bits_per_s,
     .min = 1,
     .max = 1e13,
     .help = "no cut goes below; at most the line rate",
     .source = "DOCA 1 Mb/s; HPCC 1 Gb/s"},
    {.key = "cnp_gap",
     .field = &DcqcnSettings::cnp_gap_ps,
     .quantity = Quantity::time_ps,
     .max = 1e12,
     .help = "receiver: least time between two CNPs of a QP; 0 = one per marked packet",
     .source = "DOCA 4 us; HPCC every ACK; DCQCN 2015 50 us"},
    {.key = "clamp_target",
     .field = &DcqcnSettings::clamp_target,
     .help = "every cut sets the target, not only the first after an increase",
     .source = "DOCA and HPCC: off"},
    {.key = "pace_follows_rate",
     .field = &DcqcnSettings::pace_follows_rate,
     .help = "the wait for a packet's pace changes with the rate while it lasts; false: it stays "
             "as the rate at the last start set it",
     .source = "engineering judgement: on; HPCC ns-3: off"},
};

/// The reaction point of one sender. All times are instants at which timers with due <= t have fired.
class Dcqcn {
 public:
  using Settings = DcqcnSettings;
  using State = DcqcnState;

  static constexpr ControlPreset kPresets[] = {
      {"connectx", "NVIDIA DOCA"}, {"hpcc", "HPCC's ns-3", true}, {"paper", "DCQCN, SIGCOMM 2015"}};
  static constexpr ControlInfo kInfo = {.name = "dcqcn",
                                        .help = "rates are cut by CNPs, and recover by time and volume",
                                        .source = "DCQCN (SIGCOMM 2015) as in ConnectX NICs",
                                        .presets = kPresets,
                                        .least_rate = "min_rate",
                                        .uses_cnps = true,
                                        .idle_until_cnp = true};
  static std::span<const Parameter<Settings>> parameters() { return kDcqcnParameters; }

  /// The settings of a preset for NICs of `line_bps`. The name must be one of kPresets.
  static Settings preset(std::string_view name, u64 line_bps) {
    Settings s;
    if (name == "connectx") {
      // 32767 units, disputed whether of 1 or 64 B. Read as 64 B (2 MB, 42 us at 400G): 32 KB would raise the rate
      // every 0.66 us and make the 300 us timer pointless.
      s.byte_counter_bytes = 32767 * 64;
    } else if (name == "hpcc") {
      const u64 scale = line_bps / 25'000'000'000ull > 0 ? line_bps / 25'000'000'000ull : 1;
      s.g_q10 = 4;
      s.rate_ai_bps *= scale;
      s.rate_hai_bps *= scale;
      s.min_rate_bps = 1'000'000'000;
      s.cnp_gap_ps = 0;
    } else if (name == "paper") {
      s.g_q10 = 4;
      s.alpha_period_ps = 55'000'000;
      s.decrease_period_ps = 50'000'000;
      s.increase_period_ps = 55'000'000;
      s.byte_counter_bytes = 10'000'000;
      s.fast_recovery_stages = 5;
      s.rate_ai_bps = 40'000'000;
      s.rate_hai_bps = 40'000'000;  // the paper gives no value: hyper increase is not distinguished
      s.cnp_gap_ps = 50'000'000;
    }
    return s;
  }

  static void set_up(Settings& s) {
    if (s.g_q10 == 0 || s.g_q10 > 1023) throw std::invalid_argument("dcqcn: g must lie between 1/1024 and 1023/1024");
    u64 p = (u64{1} << 32) - (static_cast<u64>(s.g_q10) << 22);
    for (u32& q : s.decay_q32) {
      q = static_cast<u32>(p);
      p = (p * p) >> 32;
    }
  }

  HEDDLE_FN Dcqcn(const Settings& settings, State& state, const Line& line) : d_(settings), r_(state), line_(line) {}

  HEDDLE_FN bool started() const { return r_.started(); }
  HEDDLE_FN u64 rate_bps() const { return started() ? r_.rate_bps : line_.bps; }
  HEDDLE_FN u32 alpha_q20() const { return decayed_alpha(d_, r_.alpha_q20, r_.quiet_periods); }

  /// alpha after k periods without a CNP, Q20.
  HEDDLE_FN static u32 decayed_alpha(const Settings& s, u32 alpha_q20, u32 k) {
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

  /// A CNP arrives at t, before the timers of that instant.
  HEDDLE_FN void on_cnp(TimePs t) {
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
  }

  /// A data packet of `wire_bytes` starts at t, after the timers of that instant. Returns the earliest next start.
  HEDDLE_FN TimePs on_start(TimePs t, u32 wire_bytes) {
    advance(t);
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

  const Settings& d_;
  State& r_;
  const Line line_;
};

}  // namespace heddle
