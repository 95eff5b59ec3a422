// What fat trees, rails and two tiers have in common: pods of leaves and spines under cores, in one plane or several.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "host/scenario/topology/registry.hpp"

namespace heddle {

/// Planes are alike and share no switch. A NIC has a port on each of `leaves_per_nic` leaves of every plane; these are
/// neighbours, a set.
struct LeafTree {
  u32 planes, leaves_per_nic;
  u32 pods, leaves, hosts, spines, leaf_uplinks, cores, spine_uplinks;  // leaves, spines: of a pod; hosts: of a leaf

  u32 nic_ports() const { return planes * leaves_per_nic; }
  u32 endpoints() const { return pods * (leaves / leaves_per_nic) * hosts; }
  u32 cores_above() const { return pods > 1 ? cores : 0; }
  NodeId leaf(u32 plane, u32 index) const { return endpoints() + plane * pods * leaves + index; }
  NodeId spine(u32 plane, u32 index) const { return leaf(planes, 0) + plane * pods * spines + index; }
  NodeId core(u32 plane, u32 index) const { return spine(planes, 0) + plane * cores_above() + index; }
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

/// The dimensions that give a NIC several ports.
inline constexpr std::array<Dimension, 2> kPortDimensions = {
    Dimension{"planes", 1, 1, kMaxNicPorts,
              "copies of all switches; NICs have a port, of link.host_rate, on each. The other keys describe one plane",
              "one: DGX SuperPOD; two: HPN (SIGCOMM 2024)"},
    Dimension{"leaves_per_nic", 1, 1, kMaxNicPorts,
              "leaves of a plane on which a NIC has a port each; 2: dual ToR. `leaves` are a multiple of it",
              "one: DGX SuperPOD; two: HPN (SIGCOMM 2024)"}};

/// Lists of dimensions, one after the other.
template <size_t... Counts>
constexpr auto joined(const std::array<Dimension, Counts>&... lists) {
  std::array<Dimension, (Counts + ...)> all;
  size_t next = 0;
  const auto append = [&](const auto& list) {
    for (const Dimension& dimension : list) all[next++] = dimension;
  };
  (append(lists), ...);
  return all;
}

/// A tree of as many leaves a pod, and hosts a leaf; all else as its section has it: pods, what is above leaves, and
/// ports.
LeafTree leaf_tree_of(const GraphInput& input, u32 leaves, u32 hosts);

/// Checks the dimensions, and builds nodes and cables. `set_of`: the number of the set of leaves, in a plane, that an
/// endpoint hangs on. Spine s of every pod leads to the same cores. Throws ConfigError.
Graph build_leaf_tree(const LeafTree& tree, const GraphInput& input, const std::function<u32(EndpointId)>& set_of);

}  // namespace heddle
