// The simulated state of one process as plain arrays, and the View of them that every kernel gets.
//
// The engine numbers nodes, links and endpoints ("local" numbers: switches first, links by source node); results,
// hashes and packets use the global numbers of the World. State that another node may read in a tick is kept twice and
// published by parity: read x[parity], write x[parity ^ 1].
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/base/types.hpp"
#include "kernels/state/boundary.hpp"
#include "kernels/state/collective.hpp"
#include "kernels/state/fabric.hpp"
#include "kernels/state/failing.hpp"
#include "kernels/state/routing.hpp"
#include "kernels/state/settings.hpp"
#include "kernels/state/tally.hpp"
#include "kernels/state/transport.hpp"
#include "kernels/world/routing.hpp"

namespace heddle {

/// In View::wake_ps: check this node in the next tick; the event time is unknown.
inline constexpr TimePs kWakeMarker = kNever - 1;
/// Endpoints per word of View::endpoint_updates.
inline constexpr u32 kEndpointsPerWord = 32;

struct View {
  Settings settings;
  // Numbers of this process: switches are nodes [0, switches), endpoint e is node switches + e. Arrays by link also
  // hold the ghosts of a part: links from other parts, numbered from `links` on; wake_ps also holds their nodes.
  u32 nodes = 0, switches = 0, endpoints = 0, links = 0;

  // topology (never changes)
  const u32* first_link = nullptr;  // [nodes + 1]
  const NodeId* node_id = nullptr;  // [nodes] global
  const u32* link_node = nullptr;   // [links] source node, local
  const EcnProfile* ecn = nullptr;
  const IngressProfile* ingress_profile = nullptr;
  const u32* first_pool = nullptr;  // [nodes + 1] pools are numbered by node
  const Pool* pool_limits = nullptr;
  // routing
  const u32* group_of = nullptr;     // [address]
  const u32* attach_link = nullptr;  // [address] -> local egress link of its switch
  const u32* attach_node = nullptr;  // [address] -> local switch
  u64* route_row = nullptr;          // [switch] start of its row in `route`; switches that forward alike share a row
  const u32* route = nullptr;        // [route_row + group] -> index of sets
  const NextHops* sets = nullptr;
  const u16* set_ports = nullptr;
  const u64* ecmp_state = nullptr;          // [switch] hash chain after seed, stream and the switch's word
  const SwitchHash* switch_hash = nullptr;  // [switch], unless Settings::plain_hash
  const u32* crc_tables = nullptr;          // 256 for each of kCrcs, likewise
  const u8* policy_of = nullptr;            // [switch] number of its policy
  const u8* plain_policy = nullptr;         // [switch] the same where Settings::plain_hash; else kNoPlainPolicy
  PolicyView policy[kMaxPolicies];          // the policies of this run, in no particular order
  const LeadsTo* leads_to = nullptr;        // [links of switches]; null without detours
  const u64* policy_state_first = nullptr;  // [switch] start of its words in policy_state
  const u32* policy_state_words = nullptr;  // [switch] words per (port, class)
  u64* policy_state = nullptr;              // for the ingress queues of switches whose policies have state
  SampledQueue* sampled_queue = nullptr;    // [links], if a policy reads it

  // fabric state
  RingPool pool;
  Queue* queue = nullptr;               // [links * classes]
  Published* published[2] = {};         // [links * classes]
  u32* head[2] = {};                    // [links * classes] taken by the consumer
  Egress* egress = nullptr;             // [links]
  Drr* drr = nullptr;                   // [links]
  IngressPort* ingress = nullptr;       // [links]
  Account* account = nullptr;           // [links * pfc_classes]
  u64* pause_change = nullptr;          // rings of (time << 1 | pause), per (link, pfc class)
  u32* pause_tail[2] = {};              // [links * pfc_classes] written by the receiving end
  PauseReader* pause_reader = nullptr;  // [links * pfc_classes]
  PoolState* pool_state = nullptr;
  Admitted* admitted = nullptr;     // [links * classes]; empty without dynamic limits
  LinkTally* link_tally = nullptr;  // [links]

  Failing failing;  // only used when links fail

  // endpoints
  Endpoints endpoint;
  Collectives collective;

  Boundary boundary;  // only used in a part

  // time
  TimePs* next_ps = nullptr;             // [nodes] the node's own next event
  TimePs* wake_ps[2] = {};               // [nodes] the earliest event that other nodes have published for it
  const u32* first_port_word = nullptr;  // [switches + 1] 64 ports a word
  const u32* port_word_link = nullptr;   // [port words] egress link of its first port
  TimePs* port_next_ps = nullptr;        // [links of switches] when an active port has something to do
  u64* port_active = nullptr;            // ports of a switch that have something to do at some time
  u64* port_updates[2] = {};             // ports for which other nodes have published something
  u64* port_published = nullptr;         // ports that have published something in the switch's last tick
  u32* endpoint_updates[2] = {};  // endpoints that have published, or for which others have; kEndpointsPerWord a word
  // [port words] in all ticks of a batch but the last (backends/tick_groups.hpp): ports whose cables stay in their tick
  // group; null in all other ticks.
  const u64* near_ports = nullptr;
  Failure* failure = nullptr;
  BrokenPhase* broken_phase = nullptr;
};

HEDDLE_FN NicLine nic_line(const View& v, const Nic& nic) {
  return {nic.line_bps, v.settings.congestion.whole_nanoseconds};
}

/// The ports of endpoint e's NIC, and how many they are.
HEDDLE_FN NicPort& port_of_nic(const View& v, u32 e, u32 port) {
  if (port == 0) return v.endpoint.nic[e].first_port;
  return v.endpoint.more_ports[v.first_link[v.switches + e] - v.first_link[v.switches] - e + port - 1];
}
HEDDLE_FN u32 count_ports(const View& v, u32 e) {
  return v.first_link[v.switches + e + 1] - v.first_link[v.switches + e];
}

/// Names the port of egress `link`, for hashes: node id << 32 | port.
HEDDLE_FN u64 port_word(const View& v, u32 link) {
  const u32 node = v.link_node[link];
  return (u64{v.node_id[node]} << 32) | (link - v.first_link[node]);
}

/// A node's next event: its own, or the one that other nodes have published for it; kNever: none is known.
HEDDLE_FN TimePs next_of_node(const View& v, u32 node, u32 parity) {
  const TimePs wake = v.wake_ps[parity][node], own = v.next_ps[node];
  return wake < kWakeMarker && wake < own ? wake : own;
}

/// Whether this is a tick of a batch, but not the last one. On a GPU a batch has one tick.
HEDDLE_FN bool within_tick_batch([[maybe_unused]] const View& v) {
#if defined(__CUDA_ARCH__)
  return false;
#else
  return v.near_ports != nullptr;
#endif
}

/// The parity under which updates for a node of the same tick group are written: in all ticks of a batch but the last
/// it is the parity that is being read (tick/updates.hpp).
HEDDLE_FN u32 parity_within_batch(const View& v, u32 next_parity) {
  return within_tick_batch(v) ? next_parity ^ 1 : next_parity;
}

/// Publishes an event at `when` at a port of a node, which receives it in the next tick.
HEDDLE_FN void wake(const View& v, u32 node, u32 port, u32 next_parity, TimePs when) {
  u32 parity = next_parity;
  if (node < v.switches) {
    const u32 word = v.first_port_word[node] + port / 64;
    const u64 bit = u64{1} << (port % 64);
    if (within_tick_batch(v) && (v.near_ports[word] & bit) != 0) parity = parity_within_batch(v, next_parity);
    global_or(v.port_updates[parity][word], bit);
  } else if (node < v.nodes) {
    const u32 e = node - v.switches;
    parity = parity_within_batch(v, next_parity);
    global_or(v.endpoint_updates[parity][e / kEndpointsPerWord], 1u << (e % kEndpointsPerWord));
  }
  global_min(v.wake_ps[parity][node], when < kWakeMarker ? when : kWakeMarker);
}

}  // namespace heddle
