// A shortened World for a trial run: fewer iterations of training jobs and replayed traces.
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// A World that behaves like `world` until the last of its iterations begins, with at most about `max_collectives`
/// collectives; every task keeps at least two iterations. All else is copied.
World first_moments(const World& world, u64 max_collectives);

}  // namespace heddle
