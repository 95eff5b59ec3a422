// How a picture divides the nodes of a fabric into groups: fabrics, planes, zones or pods, units.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/world/fabric.hpp"

namespace heddle::drawing {

/// The egress links of a node, one for each of its cables.
inline std::span<const Link> links_of(const Fabric& fabric, NodeId node) {
  return std::span(fabric.links).subspan(fabric.nodes[node].first_link, fabric.nodes[node].ports);
}

/// A division of nodes. Of one fabric it divides whole tiers: either all nodes of a tier have a group, or none has.
struct Level {
  std::string noun;                     // "zone"
  std::vector<u32> group_of;            // [NodeId]; kNone: the node belongs to no single group
  std::vector<std::string> names = {};  // [group]; empty: groups have numbers
};

/// The levels that divide this fabric, the outermost first; none where all nodes are one group.
/// - "fabric": the first one, of the GPUs, and every [[fabric]].
/// - "plane": switches that are connected without passing an endpoint.
/// - "zone", or "pod" where tiers are leaves, spines and cores, or "group" where their spines are joined: Node::zone.
/// - "unit": leaves that share servers, as on rails (Fabric::nics_per_server).
std::vector<Level> levels_of(const Fabric& fabric);

}  // namespace heddle::drawing
