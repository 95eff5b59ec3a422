// Worlds that no configuration describes: the tables of a built world, changed within what a World may be.
#pragma once

#include "kernels/world.hpp"

namespace heddle::property {

/// Changes some of: classes (a fourth one), a slow NIC's room, links without accounts or marking, latencies of single
/// links. Losses become possible, so the run ends at `longest_ps` at the latest. The largest tick stays legal.
void twist(u64 seed, TimePs longest_ps, World& world);

}  // namespace heddle::property
