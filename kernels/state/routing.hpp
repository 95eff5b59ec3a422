// State of routing policies.
#pragma once

#include "kernels/base/types.hpp"

namespace heddle {

inline constexpr u32 kMaxPolicies = 4;  // policies of one run
inline constexpr u32 kMaxPolicyTables = 6, kMaxPolicyParameters = 6;

/// A policy of this run: its number in routing/policies.hpp, its settings, and its tables, whose meaning only the
/// policy knows.
struct PolicyView {
  u32 number = kNone;  // kNone: not used
  i64 value[kMaxPolicyParameters] = {};
  const u32* table[kMaxPolicyTables] = {};
};

/// The hash of a switch, when not all switches use the ideal hash of the five-tuple.
struct SwitchHash {
  u32 fields = 0;  // kHashSrcIp | ...
  u32 init = 0;    // initial register, which includes the seed
  u32 xor_out = 0;
  u8 width = 0;  // 0: ideal
  u8 table = 0;  // index of its CRC in View::crc_tables; kNoCrc: halfwords are XORed
  u8 offset = 0, bits = 0;
  bool reflected = false, fold = false;
};
inline constexpr u8 kNoCrc = 255;

/// Where a port of a switch leads: to an endpoint, to a switch of a lower tier, or to any other switch.
enum class LeadsTo : u8 { endpoint, lower_switch, other };

/// In View::plain_policy: the policy is not one of those inlined in the loop over packets.
inline constexpr u8 kNoPlainPolicy = 255;

/// Bytes that an egress held in all classes at the latest epoch start at which it held anything.
struct SampledQueue {
  TimePs epoch = 0;  // number of the epoch
  u64 bytes = 0;
};

}  // namespace heddle
