#include "kernels/routing/policies.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/routing/policy_state.hpp"

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
  std::array<bool, kMaxTiers> has_switches = {};
  for (const Node& node : world.fabric.nodes) has_switches[static_cast<u32>(node.tier)] = node.tier != Tier::endpoint;
  for (u32 tier = 0; tier < kMaxTiers; ++tier) {
    if (has_switches[tier] && policy_named(world.routing.policy[tier]).*is_so) return true;
  }
  return false;
}

const PolicyInfo& policy_at(const World& world, NodeId at) {
  return policy_named(world.routing.policy_of(world.fabric.nodes[at]));
}

PolicyView with_settings(const Routing& routing, u32 number) {
  PolicyView own;
  own.number = number;
  const PolicyInfo& policy = routing_policies()[number];
  for (u32 i = 0; i < policy.parameters.size(); ++i) {
    const auto given = routing.parameters.find(std::string(policy.name) + "." + std::string(policy.parameters[i].key));
    own.value[i] = given == routing.parameters.end() ? policy.parameters[i].value : given->second;
  }
  return own;
}

u64 policy_state_words(const World& world, NodeId at) {
  const u32 number = routing_policy_number(world.routing.policy_of(world.fabric.nodes[at]));
  return number == kNone
             ? 0
             : RoutingPolicies::state_words(with_settings(world.routing, number), world.fabric.nodes[at].ports);
}

}  // namespace heddle
