// The interface of a routing policy. A policy is one file of this folder and one line in policies.hpp: a struct with
//
//   static constexpr PolicyInfo kInfo = {...};
//   static void set_up(const World&, Model&, PolicyView& own);  // fills own.table, if it needs any
//   static u32 state_words(const PolicyView& own, u32 ports);   // what it keeps for every ingress queue of a switch
//   HEDDLE_FN static u32 choose(const RouteContext& at);           // the egress port, local to the switch
//
// `struct PlainPolicy` has the two functions in the middle, for policies that need neither. choose() is called once per
// packet at every switch except the one to which the destination is attached.
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/model.hpp"
#include "kernels/state/policy_words.hpp"
#include "kernels/state/view.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Where a port of local switch `node` leads. Only where packets take detours.
HEDDLE_FN LeadsTo leads_to(const View& v, u32 node, u32 port) { return v.leads_to[v.first_link[node] + port]; }
HEDDLE_FN bool leads_down(const View& v, u32 node, u32 port) { return leads_to(v, node, port) != LeadsTo::other; }

/// One packet that has arrived at one switch.
struct RouteContext {
  const View& v;
  u32 node;  // local number of the switch
  const Packet& packet;
  u32 own;   // egress link of its ingress port
  TimePs t;  // arrival time
  Tally& tally;
  bool plain_hash;  // Settings::plain_hash

  /// The tables and settings of the switch's policy.
  HEDDLE_FN const PolicyView& policy() const {
    u32 i = 0;
    while (v.policy[i].number != v.policy_of[node]) ++i;
    return v.policy[i];
  }
  /// The equal next hops towards the packet's destination.
  HEDDLE_FN NextHops next_hops() const { return v.sets[v.route[v.route_row[node] + v.group_of[packet.dst()]]]; }
  /// The next hops towards any destination at all. Only where packets take detours.
  HEDDLE_FN NextHops all_next_hops() const { return v.sets[v.route[v.route_row[node] + v.settings.route_groups]]; }
  /// The egress port of next hop `index`.
  HEDDLE_FN u32 port(const NextHops& hops, u32 index) const { return v.set_ports[hops.first + index]; }

  /// Whether `egress_port` leads to one of the next hops.
  HEDDLE_FN bool offers(const NextHops& hops, u32 egress_port) const {
    for (u32 i = 0; i < hops.count; ++i) {
      if (port(hops, i) == egress_port) return true;
    }
    return false;
  }

  /// The packet's ingress port.
  HEDDLE_FN u32 ingress_port() const { return own - v.first_link[node]; }
  /// The policy's state for the packet's ingress port and class: state_words() words, all zero at the beginning.
  /// Packets of one such queue are routed in the order of their arrival; no other code accesses the state.
  HEDDLE_FN u64* state() const {
    return policy_words(v, node, own).words + packet.traffic_class() * v.policy_state_words[node];
  }
  /// Counts a reported statistic of a policy: a sum of Tally. Lanes of a team route concurrently.
  HEDDLE_FN void count(u64& sum) const { global_add(sum, u64{1}); }

  /// Bytes that egress `port` held at the latest epoch start, in all classes (PolicyInfo::samples_queues).
  HEDDLE_FN u64 sampled_bytes(u32 port) const {
    const SampledQueue& sample = v.sampled_queue[v.first_link[node] + port];
    return sample.epoch == epoch() ? sample.bytes : 0;
  }
  HEDDLE_FN TimePs epoch() const { return t / v.settings.epoch_ps; }
};

/// Base of policies without tables and state.
struct PlainPolicy {
  static void set_up(const World&, Model&, PolicyView&) {}
  static u32 state_words(const PolicyView&, u32) { return 0; }
};

}  // namespace heddle
