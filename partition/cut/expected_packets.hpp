// The expected packets on each link, as far as tables show.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Parts of a packet that shares are counted in, so that sums are exact and equal on every machine.
inline constexpr u64 kPacketParts = 256;

struct ExpectedPackets {
  std::vector<u64> parts;  // [link], in 1/256 of a packet
  bool uniform = false;    // the workload gives too little information: every link carries one packet
};

/// The World's demands (demands.hpp) over its routes: ECMP and E-ECMP hash, so every equal next hop is expected to take
/// an equal share; explicit paths are followed. The parts that enter a switch leave it exactly. Workloads of less than
/// a packet per link, and none at all, give `uniform`. Throws std::invalid_argument for routes with loops or dead ends,
/// and for more than 2^44 packets.
ExpectedPackets expect_packets(const World& world);

}  // namespace heddle
