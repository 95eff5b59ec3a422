// The hash by which switches choose among equal next hops (MODEL.md, 7.2).
#pragma once

#include "kernels/base/hash.hpp"
#include "kernels/routing/policy.hpp"
#include "kernels/routing/switch_hash.hpp"

namespace heddle {

/// Maps 32 bits evenly to an index below `count`.
HEDDLE_FN u32 index_of(u32 h, u64 count) { return static_cast<u32>((h * count) >> 32); }

/// The exact hash of the packet's five-tuple, and of its destination QP if `with_qp`.
HEDDLE_FN u64 ideal_flow_hash(const RouteContext& at, bool with_qp) {
  u64 h = at.v.ecmp_state[at.node];
  h = absorb(h, (u64{at.packet.src()} << 32) | at.packet.dst());
  h = absorb(h, (u64{kUdpProtocol} << 32) | (source_port(at.packet) << 16) | kRoceUdpPort);
  return with_qp ? absorb(h, at.packet.dst_qp()) : h;
}

/// Maps the hash of the packet's flow to an index below `count` (at most 2^32). The hash covers the configured fields,
/// and the destination QP if `with_qp`.
HEDDLE_FN u32 flow_index(const RouteContext& at, bool with_qp, u64 count) {
  if (!at.plain_hash) return switch_hash_index(at, with_qp, count);
  return index_of(static_cast<u32>(ideal_flow_hash(at, with_qp) >> 32), count);
}

}  // namespace heddle
