// Randomness without state: a counter-based hash (MODEL.md, 1.4).
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// Every use of randomness has its own stream, registered here and nowhere else.
enum class Stream : u64 {
  tie = 1,          // rotation of simultaneous arrivals:     (switch node id, time)
  ecn = 2,          // marking coin:                          (source node id << 32 | port, time)
  ecmp = 3,         // next hop:                              (switch node id) then the packet's fields
  jitter = 4,       // start jitter of a message:             (message id)
  digest = 5,       // event digest, result digest:           (event words), (reason, end, digests, sums)
  source_port = 6,  // UDP source port of a pair or QP:     (src << 32 | dst, qp or 0)
  workload = 7,     // generators: permutation, arrivals, sizes: (generator index, draw index, purpose)
  placement = 8,    // random and fragmented placement:       (job index, draw index)
  state = 9,        // state digest:                          (entity words)
  path = 10,        // multipath policies:                    (switch node id << 32 | ingress port, time or ~class)
  corruption = 11,  // bit errors:                            (source node id << 32 | egress port, time)
  failure = 12,     // random failures of cables:             (source node id << 32 | egress port, draw index)
  compute = 13,     // duration of a computation:              (endpoint, iteration << 32 | operation)
  gating = 14,      // scores of experts:                    (rank << 32 | token, expert)
  storage = 15,     // servers of a checkpoint's chunk:      (job << 32 | rank, checkpoint << 32 | chunk)
};

/// splitmix64's finaliser (Steele, Lea, Flood 2014).
HEDDLE_FN constexpr u64 mix64(u64 z) {
  z ^= z >> 30;
  z *= 0xbf58476d1ce4e5b9ull;
  z ^= z >> 27;
  z *= 0x94d049bb133111ebull;
  z ^= z >> 31;
  return z;
}

/// One step of the chain: absorbs a 64-bit word into the state.
HEDDLE_FN constexpr u64 absorb(u64 state, u64 word) { return mix64((state ^ word) + 0x9e3779b97f4a7c15ull); }

/// Absorbs the words into `state` one after the other.
template <class... Words>
HEDDLE_FN constexpr u64 absorb_all(u64 state, Words... words) {
  ((state = absorb(state, static_cast<u64>(words))), ...);
  return state;
}

/// hash(seed, stream, words...) = absorb(...absorb(absorb(absorb(0, seed), stream), word_1)..., word_n).
template <class... Words>
HEDDLE_FN constexpr u64 hash64(u64 seed, Stream stream, Words... words) {
  return absorb_all(absorb(absorb(0, seed), static_cast<u64>(stream)), words...);
}

/// The high 32 bits of hash64.
template <class... Words>
HEDDLE_FN constexpr u32 hash32(u64 seed, Stream stream, Words... words) {
  return static_cast<u32>(hash64(seed, stream, words...) >> 32);
}

}  // namespace heddle
