// Routing policies by their numbers.
#pragma once

#include "kernels/routing/policy.hpp"

namespace heddle {

/// A policy's number is its index here. The first two, with the plain hash, are inlined in the loop over packets; all
/// others are called, so that they cost nothing at a switch with one of the first two.
template <class First, class Second, class... Policy>
struct PolicyList {
  static constexpr PolicyInfo kInfos[] = {First::kInfo, Second::kInfo, Policy::kInfo...};

  static void set_up(const World& world, Model& model, PolicyView& own) {
    constexpr void (*kSetUp[])(const World&, Model&, PolicyView&) = {First::set_up, Second::set_up, Policy::set_up...};
    kSetUp[own.number](world, model, own);
  }

  /// Words of state for every (ingress port, class) of a switch with `ports` ports.
  static u32 state_words(const PolicyView& own, u32 ports) {
    constexpr u32 (*kWords[])(const PolicyView&, u32) = {First::state_words, Second::state_words,
                                                         Policy::state_words...};
    return kWords[own.number](own, ports);
  }

  /// The egress port, local to the switch, for a packet that arrived at t by the port of egress link `own`.
  HEDDLE_FN static u32 choose(const View& v, u32 node, const Packet& packet, u32 own, TimePs t, Tally& tally) {
    const u32 number = v.plain_policy[node];
    if (number == 0) return First::choose({v, node, packet, own, t, tally, true});
    if (number == 1) return Second::choose({v, node, packet, own, t, tally, true});
    return choose_other(v, node, packet, own, t, tally);
  }

 private:
  HEDDLE_RARE_FN static u32 choose_other(const View& v, u32 node, Packet packet, u32 own, TimePs t, Tally& tally) {
    const RouteContext at{v, node, packet, own, t, tally, v.settings.plain_hash};
    const u32 number = v.policy_of[node];
    if (number == 0) return First::choose(at);
    if (number == 1) return Second::choose(at);
    u32 i = 2, port = 0;
    (void)((i++ == number && (port = Policy::choose(at), true)) || ...);
    return port;
  }
};

}  // namespace heddle
