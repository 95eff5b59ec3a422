// Serialisation arithmetic (MODEL.md, 1.2): integers only, rounded down per packet.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Every speed is a word of Q16 picoseconds per byte. Bit 31 is not part of the number: it marks links whose times are
/// truncated to whole nanoseconds, as ns-3's HPCC does.
inline constexpr u32 kWholeNanoseconds = 1u << 31;

/// The speed without the flag, in Q16 picoseconds per byte.
HEDDLE_FN constexpr u32 speed_of(u32 ps_per_byte_q16) { return ps_per_byte_q16 & ~kWholeNanoseconds; }

/// Time to put `bytes` on a wire of `ps_per_byte_q16` (Q16 picoseconds per byte), rounded down.
HEDDLE_FN constexpr TimePs ser_ps(u64 bytes, u32 ps_per_byte_q16) {
  const TimePs exact = static_cast<TimePs>((bytes * speed_of(ps_per_byte_q16)) >> 16);
  return (ps_per_byte_q16 & kWholeNanoseconds) != 0 ? exact - exact % 1000 : exact;
}

/// Bytes that a frame occupies in memory allocated in cells of `cell_bytes` (at least 1).
HEDDLE_FN constexpr u32 held_bytes(u32 frame_bytes, u32 cell_bytes) {
  return cell_bytes == 1 ? frame_bytes : (frame_bytes + cell_bytes - 1) / cell_bytes * cell_bytes;
}

/// Bytes that pass in `t` picoseconds at the exact speed, rounded up.
HEDDLE_FN constexpr u64 bytes_in_ps(TimePs t, u32 ps_per_byte_q16) {
  const u32 speed = speed_of(ps_per_byte_q16);
  const unsigned __int128 q = static_cast<unsigned __int128>(t) << 16;
  return static_cast<u64>((q + speed - 1) / speed);
}

/// Speed in Q16 picoseconds per byte of a link of `bits_per_s`, rounded to nearest.
constexpr u32 ps_per_byte_q16_of(u64 bits_per_s) {
  return static_cast<u32>(((8'000'000'000'000ull << 16) + bits_per_s / 2) / bits_per_s);
}

/// Line rate in bit/s of a link of `ps_per_byte_q16`, rounded to nearest.
HEDDLE_FN constexpr u64 bits_per_s_of(u32 ps_per_byte_q16) {
  const u32 speed = speed_of(ps_per_byte_q16);
  return ((8'000'000'000'000ull << 16) + speed / 2) / speed;
}

}  // namespace heddle
