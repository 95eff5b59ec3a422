// Serialisation arithmetic (README.md, section 1): integers only, rounded down per packet.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Time to put `bytes` on a wire of `ps_per_byte_q16` (Q16 picoseconds per byte), rounded down.
HEDDLE_FN constexpr TimePs ser_ps(u64 bytes, u32 ps_per_byte_q16) {
  return static_cast<TimePs>((bytes * ps_per_byte_q16) >> 16);
}

/// Bytes that pass in `t` picoseconds, rounded up.
HEDDLE_FN constexpr u64 bytes_in_ps(TimePs t, u32 ps_per_byte_q16) {
  const unsigned __int128 q = static_cast<unsigned __int128>(t) << 16;
  return static_cast<u64>((q + ps_per_byte_q16 - 1) / ps_per_byte_q16);
}

/// Speed in Q16 picoseconds per byte of a link of `bits_per_s`, rounded to nearest.
constexpr u32 ps_per_byte_q16_of(u64 bits_per_s) {
  return static_cast<u32>(((8'000'000'000'000ull << 16) + bits_per_s / 2) / bits_per_s);
}

/// Line rate in bit/s of a link of `ps_per_byte_q16`, rounded to nearest.
HEDDLE_FN constexpr u64 bits_per_s_of(u32 ps_per_byte_q16) {
  return ((8'000'000'000'000ull << 16) + ps_per_byte_q16 / 2) / ps_per_byte_q16;
}

}  // namespace heddle
