// How many MTUs a packet may carry before its error cannot be told any more, and where coarse packets say nothing.
#pragma once

#include <string>

#include "host/acceleration/parameters.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Messages (or slices of collectives, on one queue pair) of the network by what they carry.
struct DominantMessage {
  u64 bytes = 0;    // at least half of all payload travels in messages of this size or larger
  u64 packets = 0;  // of one MTU
};
/// Zeros: nothing is sent over the network.
DominantMessage dominant_message(const World& world);

/// Why packets of several MTUs would answer another question than the one that is asked of this World; "": they answer
/// it.
std::string why_not_coarse(const World& world);

/// MTUs of a packet: what is asked for, or as many as are allowed (kAccelerationParameters). Throws ConfigError, which
/// begins with `where`, when so many are not allowed, or none.
u32 choose_coarse(const World& world, const AccelerationOptions& options, const std::string& where);

}  // namespace heddle
