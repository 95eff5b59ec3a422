// The DCQCN reaction point of one QP (MODEL.md, 8.6 and 8.7), every timer stepped one by one.
#pragma once

#include "tests/oracle/congestion/controls.hpp"

namespace heddle::oracle {

/// For a sender of a NIC with a line of `line_bps`.
std::unique_ptr<Control> dcqcn_control(const DcqcnSettings& settings, u64 line_bps, bool whole_nanoseconds);

/// Throws std::invalid_argument when no run would end with these settings.
void validate_dcqcn(const DcqcnSettings& settings);

class Dcqcn {
 public:
  /// `line_bps`: speed of the NIC, and the initial rate of every QP.
  Dcqcn(const DcqcnSettings& settings, u64 line_bps, bool whole_nanoseconds = false)
      : s_(&settings), line_bps_(line_bps), rate_(line_bps), target_(line_bps), whole_nanoseconds_(whole_nanoseconds) {}

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
  bool whole_nanoseconds() const { return whole_nanoseconds_; }
  TimePs next_timer_ps() const;

 private:
  void alpha_timer();
  void decrease_timer();
  void increase(u32& fired_stage);
  u64 decayed_alpha() const;

  const DcqcnSettings* s_;
  u64 line_bps_, rate_, target_;
  bool whole_nanoseconds_;
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
