// Equal-cost shortest paths over the switches: the tables that every static policy shares.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Fills groups, attachments and next hops: for each switch and each group of endpoints behind another switch, all
/// ports on a shortest path in port order. Racks with the same neighbours take one search together, and switches that
/// forward alike one row of the table, so zones take time and memory in proportion to their links; a fabric in which no
/// two switches are alike takes switches x groups of both. Throws ConfigError when two endpoints cannot reach each
/// other.
void build_routes(const Fabric& fabric, Routing& routing);

/// What the table would be without the links that are `out` ([link]; both directions of a cable), for the groups that
/// `routing` has. Where nothing leads to a group any more, it says no way.
NextHopTable next_hops_without(const Fabric& fabric, const Routing& routing, const std::vector<bool>& out);

}  // namespace heddle
