// Route errors found before a run: loops, dead ends, and buffer dependences that can deadlock.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Links between the switches of two endpoints, following first choices; kNone when there is no path or it loops.
u32 hops_between(const World& world, EndpointId src, EndpointId dst);

/// One message per routing loop or dead end (at most `limit`): a switch that a packet for a group can reach and where
/// it has no next hop, or a loop of next hops. Explicit paths are followed hop by hop.
std::vector<std::string> routing_problems(const World& world, size_t limit = 5);

/// A cycle of links each of which may wait for room in the next: with PFC such a fabric can deadlock. Empty when there
/// is no cycle (a Clos that goes up, then down, has none) or no class is lossless. The text prints the first six links,
/// and how many more there are.
std::string buffer_dependency_cycle(const World& world);

/// What a deadlock does, and what prevents it.
std::string advice_against_deadlock(const World& world);

}  // namespace heddle
