// The routing policies: one line each. Nothing else in engine, configuration or checks knows them by name.
#pragma once

#include <span>

#include "kernels/routing/e_ecmp.hpp"
#include "kernels/routing/ecmp.hpp"
#include "kernels/routing/explicit_paths.hpp"

namespace heddle {

/// Policies by their numbers, which are their places here.
template <class... Policy>
struct PolicyList {
  static constexpr PolicyInfo kInfos[] = {Policy::kInfo...};

  static void set_up(const World& world, Model& model, PolicyView& own) {
    u32 i = 0;
    (void)((i++ == own.number && (Policy::set_up(world, model, own), true)) || ...);
  }

  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const u32 number = at.v.policy_of[at.node];
    u32 i = 0, port = 0;
    (void)((i++ == number && (port = Policy::choose(at), true)) || ...);
    return port;
  }
};

using RoutingPolicies = PolicyList<  //
    Ecmp,                            //
    EEcmp,                           //
    ExplicitPaths>;

inline std::span<const PolicyInfo> routing_policies() { return RoutingPolicies::kInfos; }

/// kNone: there is none of this name.
inline u32 routing_policy_number(std::string_view name) {
  for (u32 i = 0; i < routing_policies().size(); ++i) {
    if (routing_policies()[i].name == name) return i;
  }
  return kNone;
}

}  // namespace heddle
