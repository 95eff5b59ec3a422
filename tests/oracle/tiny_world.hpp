// Hand-made tiny worlds for tests: a star, and two switches joined by cables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle::oracle {

inline constexpr u32 kTinySpeed = 20u << 16;           // 400G
inline constexpr TimePs kTinyLambda = 700'000;         // of every link
inline constexpr TimePs kTinyPhi = 1'200'000;          // of every link
inline constexpr u32 kTinySlice = 4096;                // slice of a collective
inline constexpr u32 kTinyDataWire = 4096 + 102 + 16;  // a full packet that begins a message

/// A world of `endpoints` and switches after them, joined by cables (a, b) in order of port numbers; the two builders
/// below fill in routes. Every link: 400G, PFC accounts with thresholds that are never reached, no ECN.
inline World tiny_fabric(u32 endpoints, u32 switches, const std::vector<std::pair<NodeId, NodeId>>& cables) {
  World world;
  Fabric& fabric = world.fabric;
  fabric.endpoints = endpoints;
  fabric.nodes.resize(endpoints + switches);
  for (NodeId n = endpoints; n < fabric.nodes.size(); ++n) fabric.nodes[n].kind = NodeKind::node_switch;
  for (auto [a, b] : cables) ++fabric.nodes[a].ports, ++fabric.nodes[b].ports;
  for (NodeId n = 1; n < fabric.nodes.size(); ++n) {
    fabric.nodes[n].first_link = fabric.nodes[n - 1].first_link + fabric.nodes[n - 1].ports;
  }
  fabric.links.resize(2 * cables.size());
  std::vector<u32> next_port(fabric.nodes.size(), 0);
  for (auto [a, b] : cables) {
    u32 port_a = next_port[a]++, port_b = next_port[b]++;
    LinkId ab = fabric.nodes[a].first_link + port_a, ba = fabric.nodes[b].first_link + port_b;
    u32 account = 0;  // all links share one profile
    fabric.links[ab] = {a, b, port_a, port_b, ba, kTinySpeed, 15'000, kTinyLambda, kTinyPhi, kNone, account, kNone};
    fabric.links[ba] = {b, a, port_b, port_a, ab, kTinySpeed, 15'000, kTinyLambda, kTinyPhi, kNone, account, kNone};
  }
  fabric.ingress = {{false, 1'000'000'000, 900'000'000, 1'000'000'000, 0}};
  fabric.classes = {{true, 1, false, false, 1 << 20}, {false, 1, true, true, 0}, {false, 1, false, false, 0}};
  fabric.max_frame_bytes = kTinyDataWire - kEthernetGapBytes;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    fabric.names.push_back((n < endpoints ? "nic" : "switch") + std::to_string(n));
  }
  world.clocks.tick_ps = 1 << 19;
  return world;
}

/// Endpoint e is attached to port e of the one switch.
inline World star(u32 endpoints) {
  std::vector<std::pair<NodeId, NodeId>> cables;
  for (NodeId e = 0; e < endpoints; ++e) cables.emplace_back(e, endpoints);
  World world = tiny_fabric(endpoints, 1, cables);
  Routing& routing = world.routing;
  routing.table.groups = 1;
  routing.first_switch = endpoints;
  routing.group_of.assign(endpoints, 0);
  routing.attach_switch.assign(endpoints, endpoints);
  for (u32 e = 0; e < endpoints; ++e) routing.attach_port.push_back(e);
  routing.table.row_of = {0};
  routing.table.set_of = {kNone};
  return world;
}

/// Endpoints [0, left) on one switch, the next `right` on another, `cables` parallel cables between the two.
inline World line(u32 left, u32 right, u32 cables) {
  u32 endpoints = left + right;
  NodeId a = endpoints, b = endpoints + 1;
  std::vector<std::pair<NodeId, NodeId>> all;
  for (NodeId e = 0; e < endpoints; ++e) all.emplace_back(e, e < left ? a : b);
  for (u32 c = 0; c < cables; ++c) all.emplace_back(a, b);
  World world = tiny_fabric(endpoints, 2, all);
  Routing& routing = world.routing;
  routing.table.groups = 2;
  for (u32 e = 0; e < endpoints; ++e) {
    routing.group_of.push_back(e < left ? 0 : 1);
    routing.attach_switch.push_back(e < left ? a : b);
    routing.attach_port.push_back(e < left ? e : e - left);
  }
  routing.first_switch = endpoints;
  routing.table.row_of = {0, 1};
  routing.table.set_of = {kNone, 0, 1, kNone};
  routing.table.sets = {{0, cables}, {cables, cables}};
  for (u32 c = 0; c < cables; ++c) routing.table.ports.push_back(static_cast<u16>(left + c));
  for (u32 c = 0; c < cables; ++c) routing.table.ports.push_back(static_cast<u16>(right + c));
  return world;
}

/// Adds a QP with its messages (bytes, post time). QPs must be added in order of their source.
inline QpId add_qp(World& world, EndpointId src, EndpointId dst, const std::vector<std::pair<u64, TimePs>>& messages) {
  auto& qps = world.traffic.qps;
  Qp qp;
  qp.src = src;
  qp.dst = dst;
  for (const Qp& other : qps) {
    qp.sender_number = static_cast<u16>(qp.sender_number + (other.src == src));
    qp.receiver_number = static_cast<u16>(qp.receiver_number + (other.dst == dst));
  }
  qp.source_port_entropy = static_cast<u16>(qps.size());
  qps.push_back(qp);
  QpId id = static_cast<QpId>(qps.size() - 1);
  for (auto [bytes, post] : messages) world.traffic.messages.push_back({id, bytes, post});
  return id;
}

/// Two ranks in a ring: an all-gather of `slices` slices of kTinySlice each, over the network (with `qps` QPs) or over
/// NVLink. Connections, channel ends and endpoints have the number of their rank; 4 slots.
inline World ring_of_two(u32 slices, bool nvlink, u32 qps) {
  World world = star(2);
  CollectivePlan& plan = world.collectives;
  plan.schedules = {{slices, slices, kTinySlice, 1, {0, 0}}};
  plan.collectives = {{0, CollectiveKind::all_gather, 2 * kTinySlice * slices, 0, 2, 0, slices, 1}};
  plan.collectives[0].slots = 4;
  for (u32 c = 0; c < 2; ++c) {
    u32 first_qp = static_cast<u32>(world.traffic.qps.size());
    for (u32 q = 0; q < qps && !nvlink; ++q) {
      QpId qp = add_qp(world, c, 1 - c, {});
      world.traffic.qps[qp].connection = c;
      world.traffic.qps[qp].scaling_index = q;
    }
    plan.connections.push_back({c, 1 - c, 0, nvlink, nvlink ? kNone : first_qp, nvlink ? 0 : qps, c, 1 - c});
    plan.channel_ends.push_back({c, 1 - c, c, 0});
  }
  Job job;
  job.ranks = {0, 1};
  job.collectives = {0};
  job.groups = {{0, 2, 0, 2}};
  plan.jobs = {job};
  return world;
}

/// A change of a cable, given by one of its directions, from an instant on.
struct CableChange {
  TimePs at_ps;
  LinkId link;
  LinkState state;
};

/// Changes both directions of the cables, in order of time for each.
inline void let_fail(World& world, const std::vector<CableChange>& cables) {
  Failures& failures = world.failures;
  failures = {};
  failures.first = {0};
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    for (const CableChange& c : cables) {
      if (c.link == l || c.link == world.fabric.links[l].reverse) failures.changes.push_back({c.at_ps, c.state});
    }
    failures.first.push_back(static_cast<u32>(failures.changes.size()));
  }
}

/// Four endpoints with two queue pairs: one fails after 10 us, as no packet of its class passes; the other sends
/// `bytes`.
inline World star_with_a_failing_qp(u64 bytes) {
  World world = star(4);
  world.fabric.classes[2].limit_bytes = 100;
  world.roce.rto_ps = 5'000'000;
  world.roce.rto_tries = 1;
  const QpId lost = add_qp(world, 0, 2, {{4096, 0}});
  world.traffic.qps[lost].traffic_class = 2;
  add_qp(world, 1, 3, {{bytes, 0}});
  return world;
}

}  // namespace heddle::oracle
