// What tori and HammingMeshes have in common: leaves that packets cross on their way, each with some hosts.
#pragma once

#include "host/scenario/topology/registry.hpp"

namespace heddle {

/// A fabric to be made of leaves that all forward differently, and of other switches.
struct LeafCounts {
  u64 leaves, hosts;  // hosts: of each leaf
  u64 other_switches = 0;

  NodeId leaf(u64 index) const { return static_cast<NodeId>(leaves * hosts + index); }
  NodeId other_switch(u64 index) const { return static_cast<NodeId>(leaf(leaves) + index); }
};

/// The endpoints, the leaves, and the cables between them; all else is to be added. Throws ConfigError where packets or
/// routing tables cannot tell so many apart: with what is left, a few dozen cables of each leaf are no more than can be
/// held.
Graph leaves_with_hosts(const LeafCounts& counts, const GraphInput& input);

}  // namespace heddle
