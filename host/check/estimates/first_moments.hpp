// The same World for its first moments: with fewer iterations of what trains or replays.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Simulates what `world` does until the last of its iterations begins, but has not more than about so many
/// collectives; of every task two iterations are left. All else is copied.
World first_moments(const World& world, u64 most_collectives);

}  // namespace heddle
