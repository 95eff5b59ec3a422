// The plan of the controller of traffic engineering.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Utilisation of the links between switches, by tiers: the busiest, and the mean. "" without a plan.
std::string plan_text(const World& world);

/// A warning when some demands did not fit.
std::vector<std::string> plan_warnings(const World& world);

}  // namespace heddle
