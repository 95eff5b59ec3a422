// Memory for descriptors of packets: rings that double, never shrink, and leave smaller ones behind.
#pragma once

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

struct QueueMemory {
  u64 likely_bytes = 0;  // an overloaded link queues all its excess, other links have only their wires full
  u64 max_bytes = 0;     // every queue at some time takes in all that can arrive, or all that its switch can hold
};

/// The memory if no packet is retransmitted. `loads` must be known.
QueueMemory queue_memory(const World& world, const LinkLoads& loads);

/// [node] whether its queues may grow so long that it sends PAUSEs. True where loads are unknown.
std::vector<bool> nodes_that_may_pause(const World& world, const LinkLoads& loads);

/// Memory for `packets` in one queue: its ring, of the next power of two, and its earlier, smaller rings.
double ring_bytes(double packets);

}  // namespace heddle
