// Buffer dependences: link l waits for link m when a packet that arrives over l may have to leave over m.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Directed graph whose vertices are links and, behind them, (switch, next-hop set) pairs: a link that leads into a
/// switch points to the sets used there, a set to its egress links. That takes far fewer edges than link to link. With
/// explicit paths links point to links.
struct DependencyGraph {
  u32 links = 0;
  std::vector<std::vector<u32>> edges;
};

/// The graph for any choice of the policies: all equal next hops count. Of explicit paths, only lossless ones count.
DependencyGraph dependency_graph(const World& world);

}  // namespace heddle
