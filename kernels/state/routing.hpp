// What routing policies keep.
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

inline constexpr u32 kMostPolicies = kTiers;  // of one run
inline constexpr u32 kMostPolicyTables = 6, kMostPolicyParameters = 6;

/// A policy of this run: its number in routing/policies.hpp, its settings, and the tables that it has made for itself.
/// What they mean is its own business.
struct PolicyView {
  u32 number = kNone;  // kNone: not used
  i64 value[kMostPolicyParameters] = {};
  const u32* table[kMostPolicyTables] = {};
};

/// How a switch hashes flows, where not all of them do so ideally by the five-tuple.
struct SwitchHash {
  u32 fields = 0;  // kHashSrcIp | ...
  u32 init = 0;    // what its register begins with: the seed is in it
  u32 xor_out = 0;
  u8 width = 0;  // 0: ideal
  u8 table = 0;  // of its CRC in View::crc_tables; kNoCrc: halfwords are XORed
  u8 offset = 0, bits = 0;
  bool reflected = false, fold = false;
};
inline constexpr u8 kNoCrc = 255;

/// Of View::plain_policy: none of those that are chosen from in the loop over packets.
inline constexpr u8 kNoPlainPolicy = 255;

/// What an egress held in all classes at the latest epoch start at which it held anything.
struct SampledQueue {
  TimePs epoch = 0;  // its number
  u64 bytes = 0;
};

}  // namespace heddle
