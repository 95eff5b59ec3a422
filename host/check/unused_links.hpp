// Links that a policy by downlink can never choose, whatever the workload.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// In ascending order: links that some switch has among several equal next hops, but that are number d mod count of no
/// destination behind them, d being its downlink (PolicyInfo::by_downlink). With all cables in service.
std::vector<LinkId> links_without_downlink(const World& world);

/// "" where there is none.
std::string warning_of_unused_links(const World& world);

}  // namespace heddle
