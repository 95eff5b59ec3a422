#include "host/check/estimates/routed_flows.hpp"

#include "host/check/estimates/link_loads.hpp"
#include "host/check/estimates/qp_path.hpp"

namespace heddle {

std::vector<RoutedFlows> routed_flows(const World& world) {
  std::vector<RoutedFlows> routed;
  if (!can_follow_qps(world)) return routed;
  routed.resize(world.fabric.links.size());
  const std::vector<QpWork> work = work_of_qps(world);
  std::vector<u64> messages(work.size());
  for (const Message& m : world.traffic.messages) ++messages[m.qp];
  QpPaths paths(world);
  for (QpId q = 0; q < work.size(); ++q) {
    if (work[q].packets == 0) continue;
    for (const Hop& hop : paths.hops(world.traffic.qps[q], Way::data)) {
      ++routed[hop.link].qps;
      routed[hop.link].messages += messages[q];
    }
  }
  return routed;
}

}  // namespace heddle
