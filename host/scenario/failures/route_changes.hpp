// The rows of next hops that switches have as cables fail and recover (MODEL.md, 7.9).
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Fills routing.row_changes and adds rows to routing.table, from world.failures; nothing, when no cable between
/// switches goes down for longer than `detect_ps`. Every set of cables that are out at once takes one search over the
/// fabric, and only rows that no switch had before take memory. detect_ps <= converge_ps.
void add_route_changes(TimePs detect_ps, TimePs converge_ps, World& world);

}  // namespace heddle
