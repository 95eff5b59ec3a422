#include "host/scenario/topology/parts.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"

namespace heddle {

std::vector<u32> parts_of_switches(const Fabric& fabric) {
  std::vector<u32> part(fabric.nodes.size() - fabric.endpoints, kNone), open;
  u32 parts = 0;
  for (u32 first = 0; first < part.size(); ++first) {
    if (part[first] != kNone) continue;
    part[first] = parts;
    open.assign(1, first);
    while (!open.empty()) {
      const Node& node = fabric.nodes[fabric.endpoints + open.back()];
      open.pop_back();
      for (LinkId l = node.first_link; l < node.first_link + node.ports; ++l) {
        const NodeId to = fabric.links[l].dst;
        if (to < fabric.endpoints || part[to - fabric.endpoints] != kNone) continue;
        part[to - fabric.endpoints] = parts;
        open.push_back(to - fabric.endpoints);
      }
    }
    ++parts;
  }
  return part;
}

void check_joined(const Fabric& fabric) {
  const std::vector<u32> part = parts_of_switches(fabric);
  const auto switch_of = [&](EndpointId e, u32 port) { return fabric.links[fabric.nodes[e].first_link + port].dst; };
  for (EndpointId e = 1; e < fabric.endpoints; ++e) {
    for (u32 p = 0; p < fabric.nic_ports; ++p) {
      const NodeId first = switch_of(0, p), other = switch_of(e, p);
      if (part[first - fabric.endpoints] == part[other - fabric.endpoints]) continue;
      throw ConfigError(fmt::format(
          "topology: there is no path between {} and {}, so {} cannot talk; the fabric falls into separate "
          "parts. Add the missing links{}",
          fabric.names[first], fabric.names[other],
          fabric.nic_ports == 1 ? "their endpoints" : fmt::format("ports {} of their NICs", p),
          fabric.nic_ports == 1 ? ""
                                : ", or list the cables of all hosts in the same order of planes: port 0 of "
                                  "a NIC talks to port 0 of another"));
    }
  }
}

}  // namespace heddle
