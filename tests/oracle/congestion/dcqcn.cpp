#include "tests/oracle/congestion/dcqcn.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle::oracle {
namespace {

/// The reaction point of a sender, and the start that its pace counts from.
class DcqcnControl : public Control {
 public:
  DcqcnControl(const DcqcnSettings& settings, u64 line_bps, bool whole_nanoseconds)
      : settings_(settings), dcqcn_(settings_, line_bps, whole_nanoseconds) {}

  TimePs start(TimePs t, u32 wire_bytes) override {
    dcqcn_.advance_to(t);
    dcqcn_.sent(wire_bytes);
    last_start_ps_ = t;
    last_bits_ = 8ull * wire_bytes;
    return earliest_paced_start(dcqcn_, last_start_ps_, last_bits_, t);
  }

  /// A pacing time in the past stays; one in the future moves with the rate, where the pace follows the rate.
  TimePs cnp(TimePs t, TimePs pace) override {
    dcqcn_.cnp(t);
    if (last_start_ps_ < 0 || pace < t || !settings_.pace_follows_rate) return pace;
    return earliest_paced_start(dcqcn_, last_start_ps_, last_bits_, t);
  }

 private:
  DcqcnSettings settings_;
  Dcqcn dcqcn_;
  TimePs last_start_ps_ = -1;  // -1: nothing was sent yet
  u64 last_bits_ = 0;          // size of the last packet
};

}  // namespace

std::unique_ptr<Control> dcqcn_control(const DcqcnSettings& settings, u64 line_bps, bool whole_nanoseconds) {
  return std::make_unique<DcqcnControl>(settings, line_bps, whole_nanoseconds);
}

void validate_dcqcn(const DcqcnSettings& dcqcn) {
  if (dcqcn.alpha_period_ps <= 0 || dcqcn.decrease_period_ps <= 0 || dcqcn.increase_period_ps <= 0)
    throw std::invalid_argument("dcqcn: a timer period is 0 and its timer would never let time pass; use 1 ps or more");
  if (dcqcn.min_rate_bps == 0)
    throw std::invalid_argument("dcqcn.min_rate is 0: a QP could stop for ever; use 1 or more");
}

void Dcqcn::cnp(TimePs t) {
  advance_to(t - 1);
  if (!running_) {
    running_ = true;
    alpha_q20_ = 1 << 20;
    quiet_alpha_periods_ = 0;
    target_ = rate_;
    alpha_due_ps_ = t + s_->alpha_period_ps;
    decrease_due_ps_ = t + s_->decrease_period_ps;
    increase_due_ps_ = t + s_->increase_period_ps;
  }
  cnp_for_alpha_ = cnp_for_decrease_ = true;
}

TimePs Dcqcn::next_timer_ps() const { return std::min({alpha_due_ps_, decrease_due_ps_, increase_due_ps_}); }

void Dcqcn::advance_to(TimePs t) {
  while (next_timer_ps() <= t) {
    TimePs now = next_timer_ps();
    if (alpha_due_ps_ == now) {
      alpha_timer();
      alpha_due_ps_ += s_->alpha_period_ps;
    }
    if (decrease_due_ps_ == now) {
      decrease_timer();
      decrease_due_ps_ += s_->decrease_period_ps;
    }
    if (increase_due_ps_ == now) {  // not when a decrease at this instant has just restarted it
      increase(timer_stage_);
      increase_due_ps_ += s_->increase_period_ps;
    }
  }
}

void Dcqcn::alpha_timer() {
  if (!cnp_for_alpha_) {
    ++quiet_alpha_periods_;
    return;
  }
  u64 a = decayed_alpha();
  alpha_q20_ = a - ((a * s_->g_q10) >> 10) + (static_cast<u64>(s_->g_q10) << 10);
  quiet_alpha_periods_ = 0;
  cnp_for_alpha_ = false;
}

/// alpha * (1-g)^k in the order of rounding that the model prescribes: the set bits of k from low to high.
u64 Dcqcn::decayed_alpha() const {
  using Wide = unsigned __int128;
  u64 power_q32 = (u64{1} << 32) - (static_cast<u64>(s_->g_q10) << 22);
  u64 alpha = alpha_q20_;
  for (u64 k = quiet_alpha_periods_; k > 0; k >>= 1) {
    if (k & 1) alpha = static_cast<u64>((static_cast<Wide>(alpha) * power_q32) >> 32);
    power_q32 = static_cast<u64>((static_cast<Wide>(power_q32) * power_q32) >> 32);
  }
  return alpha;
}

void Dcqcn::decrease_timer() {
  if (!cnp_for_decrease_) return;
  cnp_for_decrease_ = false;
  if (s_->clamp_target || timer_stage_ != 0 || byte_stage_ != 0) target_ = rate_;
  rate_ = std::max(s_->min_rate_bps, rate_ - ((rate_ * decayed_alpha()) >> 21));
  timer_stage_ = byte_stage_ = 0;
  byte_count_ = 0;
  increase_due_ps_ = decrease_due_ps_ + s_->increase_period_ps;  // decrease_due_ps_ is this instant
}

/// Fast recovery, then additive, then hyper increase; without a byte counter only the timer's stage counts.
void Dcqcn::increase(u32& fired_stage) {
  bool counts_bytes = s_->byte_counter_bytes > 0;
  u32 high = counts_bytes ? std::max(timer_stage_, byte_stage_) : timer_stage_;
  u32 low = counts_bytes ? std::min(timer_stage_, byte_stage_) : timer_stage_;
  if (low > s_->fast_recovery_stages) {
    target_ = std::min(line_bps_, target_ + s_->rate_hai_bps);
  } else if (high >= s_->fast_recovery_stages) {
    target_ = std::min(line_bps_, target_ + s_->rate_ai_bps);
  }
  rate_ = (rate_ + target_) >> 1;
  ++fired_stage;
}

void Dcqcn::sent(u32 wire_bytes) {
  if (!running_ || s_->byte_counter_bytes == 0) return;
  byte_count_ += wire_bytes;
  while (byte_count_ >= s_->byte_counter_bytes) {
    byte_count_ -= s_->byte_counter_bytes;
    increase(byte_stage_);
  }
}

TimePs earliest_paced_start(Dcqcn state, TimePs last_start, u64 bits, TimePs from) {
  using Wide = unsigned __int128;
  for (TimePs t = from;; t = state.next_timer_ps()) {
    state.advance_to(t);
    Wide wait = (static_cast<Wide>(bits) * 1'000'000'000'000u + state.rate_bps() - 1) / state.rate_bps();
    if (state.whole_nanoseconds()) wait = wait / 1000 * 1000;
    TimePs ready = std::max(t, last_start + static_cast<TimePs>(wait));
    if (ready < state.next_timer_ps() || !state.settings().pace_follows_rate) return ready;
  }
}

}  // namespace heddle::oracle
