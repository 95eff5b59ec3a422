// Equal-cost shortest paths over the switches: the tables that all static policies share.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Fills groups, attachments and next hops: for each switch and each group of endpoints behind another switch, all
/// ports on a shortest path in port order. Racks with the same neighbours share one search, and switches that forward
/// alike share one row of the table, so zones take time and memory in proportion to their links; a fabric in which no
/// two switches are alike takes switches x groups of both. Where no path leads, a row has no next hops.
void build_routes(const Fabric& fabric, Routing& routing);

/// The table without the links that are `out` ([link]; both directions of a cable), for the groups of `routing`. A row
/// has no next hops to a group that is no longer reachable.
NextHopTable next_hops_without(const Fabric& fabric, const Routing& routing, const std::vector<bool>& out);

}  // namespace heddle
