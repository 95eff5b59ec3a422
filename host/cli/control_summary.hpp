// What became of the plans of a controller that measures over a network, for the summary of a run.
#pragma once

#include <span>
#include <string>

#include "host/scenario/controller/plans_underway.hpp"

namespace heddle {

/// How many came into force, and how long after they were measured; "" without plans.
std::string control_summary(std::span<const PlanTimes> plans);

}  // namespace heddle
