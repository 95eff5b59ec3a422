#include "host/check/warnings/spraying.hpp"

#include <fmt/format.h>

#include <set>

#include "kernels/routing/policy_info.hpp"
#include "kernels/world/fabric_of.hpp"

namespace heddle {
namespace {

/// The configured value of every setting of a policy.
std::vector<i64> values_of(const Routing& routing, const PolicyInfo& policy) {
  std::vector<i64> values;
  for (const PolicyParameter& parameter : policy.parameters) {
    const auto given = routing.parameters.find(fmt::format("{}.{}", policy.name, parameter.key));
    values.push_back(given == routing.parameters.end() ? parameter.value : given->second);
  }
  return values;
}

/// Whether a switch has several next hops for some group.
bool has_choice(const Routing& routing, NodeId at) {
  const NextHopTable& table = routing.table;
  for (u32 group = 0; group < table.groups; ++group) {
    if (table.ports_of(table.set_in_row(routing.row_of(at), group)).size() > 1) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> fabrics_with(const World& world, Transport transport) {
  const Fabric& f = world.fabric;
  std::vector<bool> fabrics(1 + f.others.size(), false);
  for (const Qp& qp : world.traffic.qps) {
    if (f.classes[qp.traffic_class].transport == transport) fabrics[fabric_of_endpoint(f, qp.src)] = true;
  }
  if (transport == Transport::roce && !world.collectives.jobs.empty()) fabrics[0] = true;  // also in closed form
  return fabrics;
}

SprayingSwitch first_spraying_switch(const World& world, const std::vector<bool>& fabrics) {
  const Fabric& f = world.fabric;
  std::set<Tier> looked_at;
  for (NodeId s = f.endpoints; s < f.nodes.size(); ++s) {
    const Tier tier = f.nodes[s].tier;
    const std::string& name = world.routing.policy_of(f.nodes[s]);
    const PolicyInfo& policy = policy_named(name);
    if (looked_at.contains(tier) || policy.reorders == nullptr || !fabrics[fabric_of_tier(f, tier)]) continue;
    if (!has_choice(world.routing, s)) continue;
    looked_at.insert(tier);
    if (policy.reorders(values_of(world.routing, policy))) return {s, name};
  }
  return {};
}

}  // namespace heddle
