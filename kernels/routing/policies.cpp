#include "kernels/routing/policies.hpp"

#include <algorithm>
#include <string>

namespace heddle {

std::span<const PolicyInfo> routing_policies() { return RoutingPolicies::kInfos; }

u32 routing_policy_number(std::string_view name) {
  for (u32 i = 0; i < routing_policies().size(); ++i) {
    if (routing_policies()[i].name == name) return i;
  }
  return kNone;
}

const PolicyInfo& policy_named(std::string_view name) { return routing_policies()[routing_policy_number(name)]; }

bool any_policy(const Routing& routing, bool PolicyInfo::*is_so) {
  return std::ranges::any_of(routing.policy, [&](const std::string& name) { return policy_named(name).*is_so; });
}

const PolicyInfo& policy_at(const World& world, NodeId at) {
  return policy_named(world.routing.policy_of(world.fabric.nodes[at]));
}

}  // namespace heddle
