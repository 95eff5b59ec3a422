// How switches hash the flows of packets (MODEL.md, 7.2).
#pragma once

#include <array>

#include "kernels/world/tiers.hpp"

namespace heddle {

/// ideal: every bit of the result depends on every bit of the packet. The other functions are those of switch chips.
enum class HashFunction : u8 { ideal = 0, crc16 = 1, crc16_ccitt = 2, crc32 = 3, crc32c = 4, xor16 = 5 };
inline constexpr u32 kHashFunctions = 6;

/// The input of a switch's seed: a constant, its tier, or the switch itself.
enum class HashSeed : u8 { same = 0, per_tier = 1, per_switch = 2 };

/// Fields of a packet that are hashed, one bit each.
inline constexpr u32 kHashSrcIp = 1, kHashDstIp = 2, kHashIpProtocol = 4, kHashL4SrcPort = 8, kHashL4DstPort = 16,
                     kHashDstQp = 32, kHashInPort = 64;
inline constexpr u32 kHashFiveTuple = 31;

/// The hash of the switches of one tier. Fold, offset and bits select from the result of a chip's function.
struct TierHash {
  HashFunction function = HashFunction::ideal;
  u32 offset = 0;     // bits by which the result is rotated to the right
  bool fold = false;  // XOR the two halves first
  u32 bits = 0;       // number of low bits that are kept at the end; 0: all
};

/// Width in bits of a function's result.
inline u32 hash_width(HashFunction function) {
  return function == HashFunction::crc16 || function == HashFunction::crc16_ccitt || function == HashFunction::xor16
             ? 16
             : 32;
}

struct RoutingHash {
  std::array<TierHash, kMaxTiers> of_tier;  // [Tier]
  u32 fields = kHashFiveTuple;
  HashSeed seed = HashSeed::per_switch;

  /// The word from which a switch's seed is made.
  u64 seed_word(NodeId at, Tier tier) const {
    if (seed == HashSeed::same) return 0;
    return seed == HashSeed::per_tier ? static_cast<u64>(tier) : at;
  }
};

}  // namespace heddle
