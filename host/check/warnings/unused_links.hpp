// Links that no packet can take under a policy by downlink, whatever the workload.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// In ascending order: links between switches that lie on a shortest path between two endpoints but carry none of the
/// packets between any two, as policies by downlink (PolicyInfo::by_downlink) choose other ones. With all cables in
/// service. Empty where no switch has such a policy.
std::vector<LinkId> links_no_flow_can_take(const World& world);

/// "" where there is none.
std::string warning_of_unused_links(const World& world);

}  // namespace heddle
