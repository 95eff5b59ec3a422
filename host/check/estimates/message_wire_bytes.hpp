// What a message takes on the wire.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Its payload, and the headers of its packets, in wire bytes.
inline u64 message_wire_bytes(const World& world, const Message& message) {
  const Framing framing = framing_of(world, world.traffic.qps[message.qp].traffic_class);
  return message.bytes + framing.packets(message.bytes) * framing.overhead_wire_bytes + framing.first_bytes;
}

}  // namespace heddle
