// Refuses queues that no memory bounds, before a run.
#pragma once

#include <span>

#include "host/scenario/topology/other_fabric.hpp"

namespace heddle {

/// Where every port owns its memory, classes that are not lossless are charged to no account (kernels/MODEL.md, 5.5):
/// only the class's `limit` bounds a queue. Throws ConfigError when a class with data has none there; names the class,
/// a switch and the buffer. Control may have no limit, as in other simulators: it answers data and has priority.
/// `options`: of the first fabric; `others`: of those beside it.
void check_queue_limits(const FabricOptions& options, std::span<const OtherFabricOptions> others, const World& world);

}  // namespace heddle
