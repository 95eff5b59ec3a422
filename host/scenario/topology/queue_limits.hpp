// Queues that no memory bounds: refused before a run.
#pragma once

#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// Where every port owns its memory, what is not lossless is charged to no account (kernels/MODEL.md, 5.5): only
/// its class's `limit` bounds a queue. Throws ConfigError when a class with data has none there; names the class, a
/// switch and the buffer. Control may go without, as other simulators' does: it answers data and passes it.
void check_queue_limits(const FabricOptions& options, const World& world);

}  // namespace heddle
