// What the controller of traffic engineering foresees.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Utilisation of the links between switches, by tiers: the busiest, and the mean. "" without a plan.
std::string plan_text(const World& world);

/// A warning when there was no room for some demands.
std::vector<std::string> plan_warnings(const World& world);

}  // namespace heddle
