// The output of a topology builder: nodes and cables. The parts common to all topologies are built from it afterwards.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/fabric.hpp"

namespace heddle {

struct GraphNode {
  Tier tier = Tier::endpoint;
  u32 zone = 0;
  std::string name;
};

/// A full-duplex cable: two directed links of one rate.
struct Cable {
  NodeId a = kNone, b = kNone;
  u64 bits_per_s = 0;
  TimePs propagation_ps = 0;
};

/// Tables of a fabric's size are allocated at once; a larger fabric would only fill the memory (24,576 GPUs: 56,256).
inline constexpr u64 kMaxCables = u64{1} << 26;
/// Routes to every leaf from all switches that do not forward alike (24,576 GPUs: 1,708 switches, 15,360 routes).
inline constexpr u64 kMaxRoutes = u64{1} << 31;

/// Endpoints are nodes [0, endpoints). Ports are numbered at each node in order of `cables`: down links first.
struct Graph {
  u32 endpoints = 0;
  std::vector<TierInfo> tiers;  // Fabric::tiers
  u32 nics_per_server = 0;      // Fabric::nics_per_server
  u32 nic_ports = 1;            // cables of every endpoint, one for each port of its NIC, in order of ports
  std::vector<GraphNode> nodes;
  std::vector<Cable> cables;
  bool may_fall_apart = false;  // whether switches may be in parts that nothing joins; traffic between them is refused
  bool pipelines = true;        // false: a cable's propagation is the whole delay (imported files)
};

}  // namespace heddle
