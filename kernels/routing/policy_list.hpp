// Routing policies by their numbers.
#pragma once

#include "kernels/routing/policy.hpp"

namespace heddle {

/// A policy's number is its place here.
template <class... Policy>
struct PolicyList {
  static constexpr PolicyInfo kInfos[] = {Policy::kInfo...};

  static void set_up(const World& world, Model& model, PolicyView& own) {
    u32 i = 0;
    (void)((i++ == own.number && (Policy::set_up(world, model, own), true)) || ...);
  }

  /// Words that it keeps for every (ingress port, class) of a switch with so many ports.
  static u32 state_words(const PolicyView& own, u32 ports) {
    u32 i = 0, words = 0;
    (void)((i++ == own.number && (words = Policy::state_words(own, ports), true)) || ...);
    return words;
  }

  /// The egress port, local to the switch.
  HEDDLE_FN static u32 choose(const RouteSite& at) {
    const u32 number = at.v.policy_of[at.node];
    u32 i = 0, port = 0;
    (void)((i++ == number && (port = Policy::choose(at), true)) || ...);
    return port;
  }
};

}  // namespace heddle
