// The hash by which a switch chooses among equal next hops (MODEL.md, 7).
#pragma once

#include "kernels/base/hash.hpp"

namespace heddle {

inline constexpr u32 kRoceUdpPort = 4791;
inline constexpr u32 kFirstSourcePort = 0xc000;

/// What a packet shows to the hash. `dst_qp`: of E-ECMP.
struct EcmpFields {
  u32 src, dst, entropy, dst_qp;
};

/// Index among `count` equal next hops. `state`: the switch's, hash64(seed, Stream::ecmp, its node id or 0).
HEDDLE_FN constexpr u32 ecmp_choice(u64 state, const EcmpFields& f, bool with_qp, u32 count) {
  u64 h = absorb(state, (static_cast<u64>(f.src) << 32) | f.dst);
  h = absorb(h, (static_cast<u64>(17) << 32) | ((kFirstSourcePort | f.entropy) << 16) | kRoceUdpPort);
  if (with_qp) h = absorb(h, f.dst_qp);
  return static_cast<u32>(((h >> 32) * count) >> 32);
}

}  // namespace heddle
