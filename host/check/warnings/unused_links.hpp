// Links that no packet can take under a policy by downlink, whatever the workload.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// In ascending order: links between switches that are on a shortest path between two endpoints but carry no packets
/// between any two, as policies by downlink (PolicyInfo::by_downlink) choose other links. All cables are in service.
/// Empty where no switch has such a policy.
std::vector<LinkId> links_no_flow_can_take(const World& world);

/// A warning about such links; "" where there is none.
std::string warning_of_unused_links(const World& world);

}  // namespace heddle
