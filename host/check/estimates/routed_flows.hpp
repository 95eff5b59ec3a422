// How many queue pairs and messages are routed over every link.
#pragma once

#include <vector>

#include "io/results/routed_flows.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// [link] by the very routes of every queue pair that has something to send (qp_path). Empty where that is not known:
/// for all-to-alls in closed form, and where more than 10 million queue pairs would take seconds to follow.
std::vector<RoutedFlows> routed_flows(const World& world);

}  // namespace heddle
