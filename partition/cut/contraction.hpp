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

/// A leaf switch, its endpoints and all that share NVLink with them are one vertex (where NVLink joins racks, their
/// union is); every other switch is its own. So host cables and NVLink are never cut.
Contraction contract_racks(const World& world);

}  // namespace heddle
