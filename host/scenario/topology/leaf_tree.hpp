// What fat trees and rails have in common: pods of leaves and spines under cores.
#pragma once

#include <functional>
#include <string_view>

#include "host/scenario/topology/registry.hpp"

namespace heddle {

struct LeafTree {
  u32 pods, leaves, hosts, spines, leaf_uplinks, cores, spine_uplinks;  // leaves, spines: of a pod; hosts: of a leaf

  u32 endpoints() const { return pods * leaves * hosts; }
  NodeId leaf(u32 index) const { return endpoints() + index; }
  NodeId spine(u32 pod, u32 index) const { return leaf(pods * leaves) + pod * spines + index; }
  NodeId core(u32 index) const { return spine(pods, 0) + index; }
};

/// Checks the dimensions, and builds nodes and cables. `section`: "topology.fat_tree"; `leaf_of`: the number of the
/// leaf that an endpoint hangs on. Spine s of every pod leads to the same cores. Throws ConfigError.
Graph build_leaf_tree(const LeafTree& tree, const GraphInput& input, std::string_view section,
                      const std::function<u32(EndpointId)>& leaf_of);

}  // namespace heddle
