// Constrained shortest paths: the plan of a central controller of traffic engineering (MODEL.md, 7.8).
#pragma once

#include <span>

#include "host/scenario/controller/demands.hpp"

namespace heddle {

/// Gives every demand the shortest path that leaves links the least utilised, the largest demand first, and fills
/// Routing::controller with the entries that lead there from `from_ps` on, and Routing::plan. Only switches with the
/// policy traffic_engineering have entries: beyond the first with another one nothing is planned. Throws ConfigError
/// for demands too large to count.
void solve_traffic(std::span<const RackDemand> demands, TimePs from_ps, World& world);

/// Solves again whenever failures have changed the routes of switches, at the first multiple of `period_ps` after the
/// first solution; 0: at once. Throws ConfigError when that happens too often.
void solve_again(std::span<const RackDemand> demands, TimePs period_ps, World& world);

}  // namespace heddle
