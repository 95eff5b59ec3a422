// Exponentially distributed numbers without floating point: the same on every machine and library.
#pragma once

#include <bit>

#include "kernels/base/types.hpp"

namespace heddle {

/// -ln(x / 2^64) in Q32, x >= 1: the integer part of log2 from the leading bit, 32 binary digits by repeated squaring.
constexpr u64 negative_log_q32(u64 x) {
  const int zeros = std::countl_zero(x);
  unsigned __int128 mantissa = x << zeros;  // in [1, 2), Q63
  u64 log2_q32 = 0;
  for (int bit = 31; bit >= 0; --bit) {
    mantissa = mantissa * mantissa >> 63;
    if (mantissa >> 64 != 0) {
      log2_q32 |= u64{1} << bit;
      mantissa >>= 1;
    }
  }
  const u64 minus_log2_q32 = (static_cast<u64>(zeros + 1) << 32) - log2_q32;
  constexpr u64 kLn2Q32 = 2'977'044'472;
  return static_cast<u64>(static_cast<unsigned __int128>(minus_log2_q32) * kLn2Q32 >> 32);
}

}  // namespace heddle
