// The downlink of an endpoint: its place among the endpoints of its switch, by port (MODEL.md, 7.1).
#pragma once

#include <utility>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// [endpoint]
inline std::vector<u32> downlinks_of(const World& world) {
  const Routing& r = world.routing;
  std::vector<std::vector<u32>> place(world.fabric.nodes.size());  // [switch][port]
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    std::vector<u32>& of_switch = place[r.attach_switch[e]];
    of_switch.resize(world.fabric.nodes[r.attach_switch[e]].ports, 0);
    of_switch[r.attach_port[e]] = 1;
  }
  for (std::vector<u32>& of_switch : place) {
    u32 downlinks = 0;
    for (u32& port : of_switch) downlinks += std::exchange(port, downlinks);
  }
  std::vector<u32> downlink(world.fabric.endpoints);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) downlink[e] = place[r.attach_switch[e]][r.attach_port[e]];
  return downlink;
}

}  // namespace heddle
