// What routing policies keep.
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

inline constexpr u32 kMostPolicies = kTiers;  // of one run
inline constexpr u32 kMostPolicyTables = 6;

/// A policy of this run: its number in routing/policies.hpp, and the tables that it has made for itself. What they mean
/// is its own business.
struct PolicyView {
  u32 number = kNone;  // kNone: not used
  const u32* table[kMostPolicyTables] = {};
};

}  // namespace heddle
