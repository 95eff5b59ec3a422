#include "tests/oracle/cubic.hpp"

#include <algorithm>

namespace heddle::oracle {

u64 cubic_rest(u64 segments) { return 717 * segments / 1024; }

u64 cubic_k(u64 w_max, u64 cwnd) {
  const u64 cube = 2'681'735'677 * (w_max - cwnd);
  u64 k = 0;
  while ((k + 1) * (k + 1) * (k + 1) <= cube) ++k;
  return k;
}

u64 cubic_window(u64 origin, u64 k, TimePs x) {
  const u64 u = static_cast<u64>(x) / 976'562'500;  // 1024 x / 10^12, in which 1024 x could overflow
  const u64 d = std::min<u64>(u >= k ? u - k : k - u, u64{1} << 18);
  const u64 away = 410 * d * d * d >> 40;
  return u >= k ? origin + away : origin - away;
}

void Cubic::note(u64 cwnd) {
  w_prior_ = cwnd;
  w_max_ = cwnd < w_max_ ? 1741 * cwnd / 2048 : cwnd;  // fast convergence
  end_epoch();
}

void Cubic::forget() {
  w_max_ = 0;
  end_epoch();
}

void Cubic::begin_epoch(TimePs t, u64 cwnd) {
  epoch_ = Epoch{t, cwnd << 20};
  origin_ = std::max(cwnd, w_max_);
  k_ = cwnd < w_max_ ? cubic_k(w_max_, cwnd) : 0;
}

void Cubic::grow(u64 a, TimePs t, TimePs srtt, u64& cwnd, u64& count) {
  // Step 1.
  if (!epoch_) begin_epoch(t, cwnd);
  // Step 3.
  const u64 pace_q20 = epoch_->w_est_q20 >> 20 >= w_prior_ ? u64{1} << 20 : 554'703;
  epoch_->w_est_q20 += a * pace_q20 / cwnd;
  // Step 4.
  const u64 w_est = epoch_->w_est_q20 >> 20;
  const TimePs x = t - epoch_->start_ps;
  if (cubic_window(origin_, k_, x) < w_est) {
    cwnd = std::max(cwnd, w_est);
    count = 0;
    return;
  }
  const u64 target = std::clamp(cubic_window(origin_, k_, x + srtt), cwnd, cwnd + cwnd / 2);
  count += a * (target - cwnd);
  while (count >= cwnd) {
    count -= cwnd;
    ++cwnd;
  }
}

}  // namespace heddle::oracle
