// Properties of the routing policies, independent of the engine.
#pragma once

#include <span>
#include <string_view>

#include "kernels/base/parameter.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// One integer parameter of a policy: key `name` of the section [routing.POLICY], at the same index in
/// PolicyView::value. A word counts as its index among the choices.
struct PolicyParameter {
  std::string_view key;
  Quantity quantity = Quantity::none;
  i64 value = 0;  // default
  double min = 0, max = 4294967295.0;
  std::string_view choices = {};
  std::string_view help, source;
};

/// The properties of a policy.
struct PolicyInfo {
  std::string_view name;                             // in a configuration; also the oracle's file name
  std::string_view help;                             // one line
  std::string_view source;                           // where it is used or described
  std::span<const PolicyParameter> parameters = {};  // at most kMaxPolicyParameters
  bool follows_paths = false;   // of every queue pair (Routing::path_first); such a policy holds at all tiers
  bool multipath = false;       // packets of one flow take several paths: predictions of link load are means
  bool steers_flows = false;    // a plan, not a hash, decides which flows share a link: no check for polarisation
  bool hashes_qps = false;      // keeps flows together by a hash that includes the destination QP
  bool by_controller = false;   // reads Routing::controller, which host/scenario/controller fills
  bool by_downlink = false;     // the destination's downlink names the next hop (downlinks.hpp)
  bool weighs_links = false;    // next hops get flows in proportion to Routing::link_weight
  bool samples_queues = false;  // reads RouteContext::sampled_bytes()
  /// Whether, with these settings, closely spaced packets of one flow take different paths, so that they may arrive out
  /// of order; null: never.
  bool (*reorders)(std::span<const i64> values) = nullptr;
};

/// All policies, by their numbers.
std::span<const PolicyInfo> routing_policies();

/// The number of the policy with this name; kNone when there is none.
u32 routing_policy_number(std::string_view name);

/// The policy with this name, which must exist.
const PolicyInfo& policy_named(std::string_view name);
/// Whether the policy of any tier has this property, even a tier without switches.
bool any_tier(const Routing& routing, bool PolicyInfo::*is_so);
/// Whether the policy of any switch has this property: any_policy(world, &PolicyInfo::by_controller).
bool any_policy(const World& world, bool PolicyInfo::*is_so);
/// The policy of a switch.
const PolicyInfo& policy_at(const World& world, NodeId at);

}  // namespace heddle
