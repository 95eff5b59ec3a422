// Equal-cost shortest paths over the switches: the tables that every static policy shares.
#pragma once

#include "kernels/world.hpp"

namespace heddle {

/// Fills groups, attachments and next-hop sets: for each switch and each group of endpoints, all ports on a shortest
/// path in port order. A group's own switch has kNone (its attach ports are used). Throws ConfigError when two
/// endpoints cannot reach each other.
void build_routes(const Fabric& fabric, Routing& routing);

}  // namespace heddle
