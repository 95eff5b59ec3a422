// The hash by which switches choose among equal next hops (MODEL.md, 7.2).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/routing/policy.hpp"

namespace heddle {

inline constexpr u32 kUdpProtocol = 17;
inline constexpr u32 kRoceUdpPort = 4791;
inline constexpr u32 kFirstSourcePort = 0xc000;

/// Of the five-tuple, at local switch `node`. More fields can be absorbed.
HEDDLE_FN u64 five_tuple_hash(const View& v, u32 node, const Packet& packet) {
  u64 h = v.ecmp_state[node];
  h = absorb(h, (static_cast<u64>(packet.src()) << 32) | packet.dst());
  return absorb(h,
                (static_cast<u64>(kUdpProtocol) << 32) | ((kFirstSourcePort | packet.entropy()) << 16) | kRoceUdpPort);
}

/// An index below `count`, evenly, by 32 bits.
HEDDLE_FN u32 index_of(u32 h, u32 count) { return static_cast<u32>((u64{h} * count) >> 32); }

/// By the high half of a hash.
HEDDLE_FN u32 index_of_hash(u64 h, u32 count) { return index_of(static_cast<u32>(h >> 32), count); }

}  // namespace heddle
