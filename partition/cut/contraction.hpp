// The nodes that stay together on one rank: the vertices of the graph that is cut.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// A partition of the nodes. Vertices are numbered by their least node, so node 0 is in vertex 0.
struct Contraction {
  u32 vertices = 0;
  std::vector<u32> vertex_of_node;  // [node]
};

/// A server, that is endpoints that share NVLink, stays whole. Servers that hang on one switch only are one vertex with
/// it; one that hangs on several, as on rails and planes, is its own, as is every other switch.
Contraction contract_racks(const World& world);

}  // namespace heddle
