// Where nodes stand in a fabric: endpoints, and the tiers of switches that its topology has (MODEL.md, 2.1).
#pragma once

#include <string>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

/// A tier by its place in Fabric::tiers. Endpoints are the first; between switches a higher number is farther from
/// them.
enum class Tier : u8 { endpoint = 0 };
inline constexpr u32 kMaxTiers = 9;  // endpoints, and eight of switches

/// What files, sentences and configurations call the nodes of a tier.
struct TierInfo {
  std::string name;            // "rtsw", in files
  std::string title, plural;   // "RTSW", "RTSWs", in sentences
  std::string memory_section;  // "buffer.rtsw", which describes their memory
  std::string policy_key;      // "routing.rtsw", their own routing policy
};

/// The name of a tier in its own fabric: "leaf" of "frontend.leaf".
inline std::string_view own_name(const TierInfo& tier) {
  return std::string_view(tier.name).substr(tier.name.rfind('.') + 1);
}

}  // namespace heddle
