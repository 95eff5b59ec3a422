// What a routing policy is made of. A policy is one file of this folder and one line in policies.hpp: a struct with
//
//   static constexpr PolicyInfo kInfo = {...};
//   static void set_up(const World&, Model&, PolicyView& own);  // fills own.table, if it needs any
//   HEDDLE_FN static u32 choose(const RouteSite& at);           // the egress port, local to the switch
//
// choose() is asked at every switch but the one on which the destination hangs.
#pragma once

#include <string_view>

#include "kernels/state/view.hpp"

namespace heddle {

/// What is said of a policy.
struct PolicyInfo {
  std::string_view name;       // in a configuration, and of the oracle's file
  std::string_view help;       // one line
  std::string_view source;     // who does so
  bool follows_paths = false;  // that are given for every queue pair (Routing::path_first): then at all tiers
};

/// One packet at one switch.
struct RouteSite {
  const View& v;
  u32 node;  // local number of the switch
  const Packet& packet;

  /// The tables of the switch's policy.
  HEDDLE_FN const PolicyView& own() const {
    u32 i = 0;
    while (v.policy[i].number != v.policy_of[node]) ++i;
    return v.policy[i];
  }
  /// The equal next hops towards the packet's destination.
  HEDDLE_FN NextHops next_hops() const { return v.sets[v.route[v.route_row[node] + v.group_of[packet.dst()]]]; }
  /// The egress port of one of them.
  HEDDLE_FN u32 port(const NextHops& hops, u32 index) const { return v.set_ports[hops.first + index]; }
};

}  // namespace heddle
