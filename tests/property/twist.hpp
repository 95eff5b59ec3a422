// Worlds that no configuration describes: the tables of a built world, changed within the limits of a World.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle::property {

/// Kinds of changes; bits of Twist::parts.
inline constexpr u32 kTwistClasses = 1;    // a fourth class
inline constexpr u32 kTwistSlowNics = 2;   // a slow NIC's room
inline constexpr u32 kTwistAccounts = 4;   // links without accounts or marking
inline constexpr u32 kTwistLatencies = 8;  // latencies of single links
inline constexpr u32 kTwistEntries = 16;   // later changes of a controller
inline constexpr u32 kTwistPackets = 32;   // packets of several MTUs
inline constexpr u32 kAllTwists = 63;

/// Each part has a random stream of its own, and may do nothing.
struct Twist {
  u64 seed = 0;
  u32 parts = kAllTwists;
  TimePs longest_ps = kNever;  // losses become possible, so the run ends here at the latest
};

/// Changes the tables. The largest tick stays legal.
void twist(const Twist& how, World& world);

}  // namespace heddle::property
