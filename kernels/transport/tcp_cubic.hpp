// CUBIC: a congestion window that grows by a cubic of the time since it was reduced (MODEL.md, 8.11; RFC 9438). Pure
// arithmetic on TcpSender.
#pragma once

#include "kernels/state/tcp.hpp"

namespace heddle {

/// Of 1024 segments a reduction leaves so many; of its window the last maximum, where it was not reached (0.85).
inline constexpr u64 kCubicKeptQ10 = 717, kCubicLastMaxQ11 = 1741;
/// The cubic is 410 d^3 >> 40 segments with d in 1/1024 s: C = 0.4.
inline constexpr u64 kCubicFactor = 410, kCubicShift = 40;
inline constexpr u64 kCubicUnitPs = 976'562'500, kMaxCubicUnits = 1 << 18;
/// Growth in a round trip where New Reno's would be 1: 3 (1 - 0.7) / (1 + 0.7).
inline constexpr u64 kCubicRenoQ20 = (u64{3} << 20) * (1024 - kCubicKeptQ10) / (1024 + kCubicKeptQ10);
static_assert(kCubicRenoQ20 == 554'703 && (u64{1} << kCubicShift) / kCubicFactor == 2'681'735'677);

/// The window is about to be reduced.
HEDDLE_FN void cubic_note_window(TcpSender& c) {
  c.w_prior = c.cwnd;
  c.w_max = c.cwnd < c.w_max ? static_cast<u32>((kCubicLastMaxQ11 * c.cwnd) >> 11) : c.cwnd;
  c.epoch_ps = kNever;
}

/// The greatest k with k^3 <= x, which is below 2^48.
HEDDLE_FN u32 cube_root(u64 x) {
  u64 k = 0;
  for (u32 bit = 16; bit-- > 0;) {
    const u64 more = k | (u64{1} << bit);
    if (more * more * more <= x) k = more;
  }
  return static_cast<u32>(k);
}

/// The cubic, `since_ps` after the begin of the epoch; it may be negative.
HEDDLE_FN i64 cubic_window(const TcpSender& c, TimePs since_ps) {
  const u64 units = static_cast<u64>(since_ps) / kCubicUnitPs;
  const bool behind = units >= c.cubic_k;
  u64 d = behind ? units - c.cubic_k : c.cubic_k - units;
  d = d < kMaxCubicUnits ? d : kMaxCubicUnits;
  const i64 change = static_cast<i64>((kCubicFactor * d * d * d) >> kCubicShift);
  return i64{c.cubic_origin} + (behind ? change : -change);
}

HEDDLE_FN void cubic_begin_epoch(TcpSender& c, TimePs t) {
  const bool below = c.cwnd < c.w_max;
  c.epoch_ps = t;
  c.w_est_q20 = u64{c.cwnd} << 20;
  c.cubic_origin = below ? c.w_max : c.cwnd;
  c.cubic_k = below ? cube_root((u64{1} << kCubicShift) / kCubicFactor * (c.w_max - c.cwnd)) : 0;
}

/// Congestion avoidance at t, for `acked` segments.
HEDDLE_FN void cubic_grow(TcpSender& c, u32 acked, TimePs t) {
  if (acked == 0) return;
  if (c.epoch_ps == kNever) cubic_begin_epoch(c, t);
  c.w_est_q20 += u64{acked} * ((c.w_est_q20 >> 20) >= c.w_prior ? u64{1} << 20 : kCubicRenoQ20) / c.cwnd;
  const u32 estimate = static_cast<u32>(c.w_est_q20 >> 20);
  if (cubic_window(c, t - c.epoch_ps) < i64{estimate}) {
    c.cwnd = c.cwnd < estimate ? estimate : c.cwnd;
    c.count = 0;
    return;
  }
  const i64 window = cubic_window(c, t - c.epoch_ps + c.srtt_ps), most = i64{c.cwnd} + c.cwnd / 2;
  const i64 target = window < i64{c.cwnd} ? i64{c.cwnd} : window < most ? window : most;
  u64 count = c.count + u64{acked} * static_cast<u64>(target - c.cwnd);
  for (; count >= c.cwnd; ++c.cwnd) count -= c.cwnd;
  c.count = static_cast<u32>(count);
}

}  // namespace heddle
