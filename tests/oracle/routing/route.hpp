// The egress port that a switch chooses for a packet (MODEL.md, 7.1).
#pragma once

#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

/// Throws std::invalid_argument when the tables give no way from this switch to the packet's destination.
u32 egress_port(const World& world, NodeId at, const Packet& packet);

}  // namespace heddle::oracle
