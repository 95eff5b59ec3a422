// Buffer dependences: link l waits for link m when a packet that came by l may have to leave by m.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Directed graph whose vertices are links and, behind them, (switch, next-hop set) pairs: a link that leads into a
/// switch points to the sets used there, a set to its egress links. Far fewer edges than link to link. With explicit
/// paths links point to links.
struct DependencyGraph {
  u32 links = 0;
  std::vector<std::vector<u32>> edges;
};

/// Whatever the policies choose: all equal next hops count. Of explicit paths those on which lossless packets go.
DependencyGraph dependency_graph(const World& world);

}  // namespace heddle
