// The fabric as plain tables: nodes, directed links, classes, buffers (MODEL.md, 2).
// Written by host/scenario/topology, read by the engine and by the oracle. No simulated state here.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "kernels/base/units.hpp"
#include "kernels/world/tcp.hpp"
#include "kernels/world/tiers.hpp"

namespace heddle {

enum class NodeKind : u8 { endpoint = 0, node_switch = 1 };

struct Node {
  NodeKind kind = NodeKind::endpoint;
  Tier tier = Tier::endpoint;
  u32 first_link = 0;  // its egress links are [first_link, first_link + ports), port p is first_link + p
  u32 ports = 0;
  u32 zone = 0;        // AI Zone / pod, for reports and placement
  u32 cell_bytes = 1;  // cells of its memory: the bytes of a packet are rounded up to them; 1: exact
};

/// A directed link: an egress port of `src` and an ingress port of `dst`.
struct Link {
  NodeId src = kNone, dst = kNone;
  u32 src_port = 0, dst_port = 0;
  LinkId reverse = kNone;   // the other direction of the same cable
  u32 ps_per_byte_q16 = 0;  // speed; 400G = 20 << 16; bit 31: times in whole nanoseconds (base/units.hpp)
  TimePs prop_ps = 0;       // cable
  TimePs lambda_ps = 0;     // egress pipeline(src) + prop + ingress pipeline(dst)
  TimePs phi_ps = 0;        // prop + respond(dst): latency of pause frames that travel on this link
  u32 ecn = kNone;          // index in Fabric::ecn for this egress; kNone: never marks
  u32 ingress = kNone;      // index in Fabric::ingress: the account that `dst` keeps for this link; kNone: no PFC
  u32 pool = kNone;         // index in Fabric::pools of the memory for packets from this link; kNone: no pool
};

/// Marking thresholds of an egress queue, in held bytes (frames, rounded up to the cells of the node).
struct EcnProfile {
  u32 kmin_bytes = 0, kmax_bytes = 0;
  u32 pmax_q32 = 0;  // probability at kmax, Q32
};

/// PFC thresholds of one (ingress, lossless class), in held bytes.
struct IngressProfile {
  bool dynamic = false;    // XOFF = reserve + a share of the pool's free memory, instead of xoff_bytes
  u32 xoff_bytes = 0;      // static only
  u32 xon_bytes = 0;       // static only; dynamic: max(0, XOFF - 3072)
  u32 headroom_bytes = 0;  // accepted beyond XOFF; more than that is a counted overrun
  u32 alpha_q16 = 0;       // dynamic: share = alpha * (pool.shared - shared used), Q16
  u32 reserve_bytes = 0;   // reserve of the account: not counted as shared use
};

/// A shared memory of a switch (a half of a Tomahawk-like chip, or all of it).
struct Pool {
  NodeId node = kNone;
  u64 shared_bytes = 0;  // memory that dynamic thresholds divide
  u64 limit_bytes = 0;   // all memory, including headroom: an arrival beyond it is a counted overflow
};

struct TrafficClass {
  bool strict = false;  // served before every weighted class, lower index first; class 0 always is
  u32 weight = 1;       // deficit round robin: quantum = weight * max frame
  bool pfc = false;
  bool ecn = false;
  u64 limit_bytes = 0;      // per switch egress queue, 0 = none; beyond it arrivals are dropped and counted
  u32 limit_alpha_q16 = 0;  // without PFC, at ports with a pool: limit = alpha * free memory too, Q16; 0 = none
  Transport transport = Transport::roce;
};

/// The most ports of a NIC: masks of ports have 8 bits.
inline constexpr u32 kMaxNicPorts = 8;

/// One more network of the same servers, such as a frontend. No switch joins it with another.
struct OtherFabric {
  std::string name;
  EndpointId first = 0;  // its endpoints are [first, first + endpoints)
  u32 endpoints = 0;
  u32 storage_hosts = 0;  // so many of them, the last ones, are storage servers
  Tier first_tier{};      // its tiers of switches are from this one on, up to the next fabric's
};

struct Fabric {
  u32 endpoints = 0;                // nodes [0, endpoints) are endpoints, the rest switches
  u32 nic_ports = 1;                // of every NIC; at most kMaxNicPorts
  std::vector<TierInfo> tiers;      // [Tier], at most kMaxTiers
  std::vector<OtherFabric> others;  // beside the first, whose endpoints are those before theirs, and are the GPUs
  u32 nics_per_server = 0;          // where its cables follow servers, as on rails; 0: they do not
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<EcnProfile> ecn;
  std::vector<IngressProfile> ingress;
  std::vector<Pool> pools;
  std::vector<TrafficClass> classes;       // at most kMaxClasses; [0] control, [1] lossless RDMA, ...
  u32 max_frame_bytes = 4178;              // for deficit quanta
  u32 min_frame_bytes = 1;                 // smallest frame of any packet; headrooms count on it
  u32 wire_gap_bytes = kEthernetGapBytes;  // between frames: wire bytes are frame bytes and these
  bool ecn_at_arrival = false;
  TimePs watchdog_ps = 0;  // a switch queue paused this long is emptied and drops until its pause ends; 0: never
  std::vector<std::string> names;  // of nodes, for messages and files
};

/// Pause frames travel on a link when its source keeps an account of packets from the reverse link.
inline bool carries_pauses(const Fabric& fabric, const Link& link) {
  return fabric.links[link.reverse].ingress != kNone;
}

/// Packets travel from address to address: that of port p of an endpoint (MODEL.md, 2.1).
inline u32 address_of(const Fabric& fabric, EndpointId endpoint, u32 port) {
  return endpoint * fabric.nic_ports + port;
}
inline u32 count_addresses(const Fabric& fabric) { return fabric.endpoints * fabric.nic_ports; }

/// The endpoints that are GPUs are [0, count_gpus): those of the first fabric.
inline u32 count_gpus(const Fabric& fabric) {
  return fabric.others.empty() ? fabric.endpoints : fabric.others.front().first;
}

/// What a NIC sends at most, by all its ports, in picoseconds per byte.
inline double nic_ps_per_byte(const Fabric& fabric, EndpointId endpoint) {
  const u32 speed = fabric.links[fabric.nodes[endpoint].first_link].ps_per_byte_q16;
  return static_cast<double>(speed_of(speed)) / 65536 / fabric.nic_ports;
}

/// What the nodes of a tier are called, or those of a node's tier.
inline const TierInfo& tier_of(const Fabric& fabric, Tier tier) { return fabric.tiers[static_cast<u32>(tier)]; }
inline const TierInfo& tier_of(const Fabric& fabric, NodeId node) { return tier_of(fabric, fabric.nodes[node].tier); }

/// Least time between a cause at the source of a link and its effect at the destination.
inline TimePs min_latency_ps(const Fabric& fabric, const Link& link) {
  return carries_pauses(fabric, link) && link.phi_ps < link.lambda_ps ? link.phi_ps : link.lambda_ps;
}

}  // namespace heddle
