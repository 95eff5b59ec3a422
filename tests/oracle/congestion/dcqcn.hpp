// The DCQCN reaction point of one QP (MODEL.md, 8.6 and 8.7), every timer stepped one by one.
#pragma once

#include "kernels/world/transport.hpp"

namespace heddle::oracle {

/// Rates in bit/s.
struct DcqcnSettings {
  u32 g_q10 = 5;
  TimePs alpha_period_ps = 1'000'000;
  TimePs decrease_period_ps = 4'000'000;
  TimePs increase_period_ps = 300'000'000;
  u64 byte_counter_bytes = 0;
  u32 fast_recovery_stages = 1;
  u64 rate_ai_bps = 5'000'000;
  u64 rate_hai_bps = 50'000'000;
  u64 min_rate_bps = 1'000'000;
  bool clamp_target = false;
  bool pace_follows_rate = true;
  bool whole_nanoseconds = false;
};

/// Settings of a World that gives all of them. Throws std::out_of_range where one is missing.
DcqcnSettings dcqcn_settings(const Congestion& congestion);

class Dcqcn {
 public:
  /// `line_bps`: speed of the NIC, and the initial rate of every QP.
  Dcqcn(const DcqcnSettings& settings, u64 line_bps) : s_(&settings), line_bps_(line_bps), rate_(line_bps) {
    target_ = line_bps;
  }

  /// A CNP arrives at `t`, before the timers due at `t`.
  void cnp(TimePs t);
  /// Fires, in time order, every timer due at or before `t`.
  void advance_to(TimePs t);
  /// A data packet starts, after the timers due at that instant: the byte counter.
  void sent(u32 wire_bytes);

  u64 rate_bps() const { return rate_; }
  u64 target_bps() const { return target_; }
  u32 alpha_q20() const { return static_cast<u32>(decayed_alpha()); }
  const DcqcnSettings& settings() const { return *s_; }
  TimePs next_timer_ps() const;

 private:
  void alpha_timer();
  void decrease_timer();
  void increase(u32& fired_stage);
  u64 decayed_alpha() const;

  const DcqcnSettings* s_;
  u64 line_bps_, rate_, target_ = 0;
  bool running_ = false;  // since the first CNP
  u64 alpha_q20_ = 0;
  u64 quiet_alpha_periods_ = 0;  // periods without a CNP since alpha_q20_ was last rounded
  bool cnp_for_alpha_ = false, cnp_for_decrease_ = false;
  TimePs alpha_due_ps_ = kNever, decrease_due_ps_ = kNever, increase_due_ps_ = kNever;
  u32 timer_stage_ = 0, byte_stage_ = 0;
  u64 byte_count_ = 0;
};

/// The earliest t >= `from` with (t - last_start) * rate(t) >= bits * 10^12, if no further CNP comes; the wait is cut
/// to whole nanoseconds where the links' times are. Without `pace_follows_rate` the rate at `from` applies throughout.
TimePs earliest_paced_start(Dcqcn state, TimePs last_start, u64 bits, TimePs from);

}  // namespace heddle::oracle
