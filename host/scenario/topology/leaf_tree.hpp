// What fat trees and rails have in common: pods of leaves and spines under cores.
#pragma once

#include <array>
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

/// The dimensions above the leaves, with their defaults.
constexpr std::array<Dimension, 4> dimensions_above_leaves(i64 spines, i64 leaf_uplinks, i64 cores, i64 spine_uplinks,
                                                           std::string_view source) {
  return {Dimension{"spines", spines, 1, 4095, "spines of each pod", source},
          Dimension{"uplinks_per_leaf", leaf_uplinks, 1, 4095,
                    "spread over the pod's spines in turn; more than spines: parallel cables", source},
          Dimension{"cores", cores, 1, 65536, "cores above all pods", source},
          Dimension{"uplinks_per_spine", spine_uplinks, 1, 4095,
                    "spread over the cores in turn; spine s of every pod leads to the same ones", source}};
}

/// A tree of as many leaves a pod, and hosts a leaf; all else as its section has it: pods, and what is above leaves.
LeafTree leaf_tree_of(const GraphInput& input, u32 leaves, u32 hosts);

/// Checks the dimensions, and builds nodes and cables. `leaf_of`: the number of the leaf that an endpoint hangs on.
/// Spine s of every pod leads to the same cores. Throws ConfigError.
Graph build_leaf_tree(const LeafTree& tree, const GraphInput& input, const std::function<u32(EndpointId)>& leaf_of);

}  // namespace heddle
