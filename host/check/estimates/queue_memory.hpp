// Memory for descriptors of packets: rings that double, never shrink, and leave smaller ones behind.
#pragma once

#include "host/check/estimates/link_loads.hpp"

namespace heddle {

struct QueueMemory {
  u64 likely_bytes = 0;  // where more comes than a link can carry all of it waits, elsewhere only wires are full
  u64 most_bytes = 0;    // every queue at some time takes in all that can come to it, or all that its switch can hold
};

/// If nothing is sent twice. `loads` must be known.
QueueMemory queue_memory(const World& world, const LinkLoads& loads);

/// [node] whether so much may wait in it that it sends PAUSEs. True where loads are not known.
std::vector<bool> nodes_that_may_pause(const World& world, const LinkLoads& loads);

/// Of so many packets in one queue: its ring, the next power of two, and those that it had before.
double ring_bytes(double packets);

}  // namespace heddle
