// How many queue pairs and messages are routed over every link.
#pragma once

#include <vector>

#include "io/results/routed_flows.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// [link] counts along the actual routes of every queue pair that sends (qp_path). Empty where these are unknown: for
/// all-to-alls in closed form, and where more than 10 million queue pairs would take seconds to follow.
std::vector<RoutedFlows> routed_flows(const World& world);

}  // namespace heddle
