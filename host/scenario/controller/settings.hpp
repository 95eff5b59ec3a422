// The source of the demands of a controller of traffic engineering (MODEL.md, 7.8).
#pragma once

#include "kernels/world/world.hpp"

namespace heddle {

/// Whether routing.traffic_engineering.demands is "measured"; false for a World without such a policy.
bool demands_are_measured(const World& world);
/// The time between two solutions; 0: whenever routes change.
TimePs solution_period_ps(const Routing& routing);
/// The first solution of a measuring controller: at `start`, or one period after the beginning.
TimePs first_solution_ps(const Routing& routing);

}  // namespace heddle
