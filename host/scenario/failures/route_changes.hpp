// The rows of next hops that switches use as cables fail and recover (MODEL.md, 7.9).
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Fills routing.row_changes and adds rows to routing.table, from world.failures; does nothing when no cable between
/// switches goes down for longer than `detect_ps`. Every set of cables that are down at once takes one search over the
/// fabric, and only new rows take memory. detect_ps <= converge_ps.
void add_route_changes(TimePs detect_ps, TimePs converge_ps, World& world);

}  // namespace heddle
