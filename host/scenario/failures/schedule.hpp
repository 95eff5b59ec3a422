// Conversion of the configured failures to the World's schedule of link states, and the routes after them.
#pragma once

#include <span>
#include <vector>

#include "host/scenario/failures/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Fills world.failures and the later rows of world.routing (MODEL.md, 2.5 and 7.9); neither without failures. Reads
/// world.fabric, world.routing and world.clocks.horizon_ps. Throws ConfigError: a node or a cable that does not exist,
/// a failure that ends before it begins, a rate above the line's, flapping without a period, random failures without an
/// end, too many changes.
void add_failures(const FailureSettings& settings, std::span<const FailureOptions> failures, World& world);

/// The cables of which failures.dead_fraction is a part, and which fail at random.
std::vector<LinkId> cables_by_chance(const FailureSettings& settings, const Fabric& fabric);

/// How many of `cables` cables are dead: as many as the fraction says, to the nearest.
u64 dead_cables(double fraction, u64 cables);

}  // namespace heddle
