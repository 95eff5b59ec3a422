// One switch with all endpoints attached.
#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/registry.hpp"
#include "host/scenario/topology/zone_tiers.hpp"

namespace heddle {

Graph build_star(const GraphInput& input) {
  const u32 hosts = input.topology.hosts;
  if (hosts < 2) throw ConfigError("topology.hosts: a star needs at least 2 endpoints to send anything; give more");
  Graph graph;
  graph.tiers = zone_tiers();
  graph.endpoints = hosts;
  for (u32 e = 0; e < hosts; ++e) graph.nodes.push_back({Tier::endpoint, 0, fmt::format("gpu{}", e)});
  graph.nodes.push_back({kRtsw, 0, "switch0"});
  for (u32 e = 0; e < hosts; ++e) {
    graph.cables.push_back({e, hosts, input.link.host_bits_per_s, input.link.host_propagation_ps});
  }
  return graph;
}

}  // namespace heddle
