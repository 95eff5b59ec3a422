#include "kernels/routing/policies.hpp"

#include <algorithm>
#include <array>
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

bool any_tier(const Routing& routing, bool PolicyInfo::*is_so) {
  return std::ranges::any_of(routing.policy, [&](const std::string& name) { return policy_named(name).*is_so; });
}

bool any_policy(const World& world, bool PolicyInfo::*is_so) {
  std::array<bool, kTiers> has_switches = {};
  for (const Node& node : world.fabric.nodes) has_switches[static_cast<u32>(node.tier)] = node.tier != Tier::endpoint;
  for (u32 tier = 0; tier < kTiers; ++tier) {
    if (has_switches[tier] && policy_named(world.routing.policy[tier]).*is_so) return true;
  }
  return false;
}

const PolicyInfo& policy_at(const World& world, NodeId at) {
  return policy_named(world.routing.policy_of(world.fabric.nodes[at]));
}

}  // namespace heddle
