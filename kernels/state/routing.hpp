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

/// What an egress held in all classes at the latest epoch start at which it held anything.
struct SampledQueue {
  TimePs epoch = 0;  // its number
  u64 bytes = 0;
};

}  // namespace heddle
