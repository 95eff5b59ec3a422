// Cyclic redundancy checks, byte by byte with a table (Ross Williams, 1993: the model of their parameters).
#pragma once

#include <array>

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/routing_hash.hpp"

namespace heddle {

struct CrcKind {
  HashFunction function;
  u32 width, polynomial, init, xor_out;
  bool reflected;  // the lowest bit of a byte comes first
};

/// The catalogue's names: ARC (BISYNC, IBM), IBM-3740 (CCITT-FALSE), ISO-HDLC (IEEE 802.3), ISCSI (Castagnoli).
inline constexpr CrcKind kCrcs[] = {
    {HashFunction::crc16, 16, 0x8005, 0, 0, true},
    {HashFunction::crc16_ccitt, 16, 0x1021, 0xffff, 0, false},
    {HashFunction::crc32, 32, 0x04c11db7, 0xffffffff, 0xffffffff, true},
    {HashFunction::crc32c, 32, 0x1edc6f41, 0xffffffff, 0xffffffff, true},
};

/// [byte] the register after that byte, starting from an empty register.
constexpr std::array<u32, 256> crc_table(const CrcKind& kind) {
  std::array<u32, 256> table = {};
  u32 reflected_polynomial = 0;
  for (u32 bit = 0; bit < kind.width; ++bit)
    reflected_polynomial |= (kind.polynomial >> bit & 1) << (kind.width - 1 - bit);
  for (u32 byte = 0; byte < 256; ++byte) {
    u32 r = kind.reflected ? byte : byte << (kind.width - 8);
    for (u32 bit = 0; bit < 8; ++bit) {
      if (kind.reflected) {
        r = (r >> 1) ^ ((r & 1) != 0 ? reflected_polynomial : 0);
      } else {
        r = (r << 1) ^ ((r >> (kind.width - 1) & 1) != 0 ? kind.polynomial : 0);
      }
    }
    table[byte] = kind.width == 32 ? r : r & ((1u << kind.width) - 1);
  }
  return table;
}

/// The register after one more byte.
HEDDLE_FN constexpr u32 crc_step(const u32* table, u32 width, bool reflected, u32 r, u32 byte) {
  if (reflected) return (r >> 8) ^ table[(r ^ byte) & 0xff];
  const u32 shifted = r << 8 ^ table[(r >> (width - 8) ^ byte) & 0xff];
  return width == 32 ? shifted : shifted & ((1u << width) - 1);
}

}  // namespace heddle
