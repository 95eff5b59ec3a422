// Ways of a dragonfly+ that are a hop longer, and the class in which packets go on after their turn (MODEL.md, 7.11).
#pragma once

#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/routing/policies.hpp"

namespace heddle::oracle {

/// Whether the neighbour by this port of a switch is of a lower tier, or an endpoint.
bool leads_down(const World& world, NodeId at, u32 port);

/// Returns the ports by which this packet may leave although they are no next hops of it, in order; none for a packet
/// that may not take a detour.
std::vector<u32> detours_of(const RouteContext& context);

/// Returns the class in which a packet waits, and goes on, that came in class `cls` by port `came_by` of a switch and
/// leaves by `leaves_by`.
u32 class_onward(const World& world, NodeId at, u32 came_by, u32 leaves_by, u32 cls);

}  // namespace heddle::oracle
