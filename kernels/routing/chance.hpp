// Randomness of policies that do not keep flows together (MODEL.md, 1.4).
#pragma once

#include "kernels/routing/hash.hpp"

namespace heddle {

/// Random number of this packet's arrival: no other packet arrives at this port at this instant.
HEDDLE_FN u32 arrival_chance(const RouteContext& at) {
  const u64 where = (u64{at.v.node_id[at.node]} << 32) | at.ingress_port();
  return hash32(at.v.settings.seed, Stream::path, where, static_cast<u64>(at.t));
}

/// Random number of this packet's ingress queue, the same for all its packets.
HEDDLE_FN u32 ingress_chance(const RouteContext& at) {
  const u64 where = (u64{at.v.node_id[at.node]} << 32) | at.ingress_port();
  return hash32(at.v.settings.seed, Stream::path, where, ~u64{at.packet.traffic_class()});
}

}  // namespace heddle
