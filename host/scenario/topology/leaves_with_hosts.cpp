#include "host/scenario/topology/leaves_with_hosts.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_counts(const LeafCounts& counts, std::string_view kind) {
  const u64 endpoints = counts.leaves * counts.hosts;
  if (endpoints > kMaxAddresses) {
    throw ConfigError(
        fmt::format("topology.{}: {} leaves x {} hosts are {} endpoints, but a packet can address {}; make one of its "
                    "dimensions smaller",
                    kind, counts.leaves, counts.hosts, endpoints, kMaxAddresses));
  }
  const u64 switches = counts.leaves + counts.other_switches;
  if (switches * counts.leaves > kMaxRoutes) {
    throw ConfigError(
        fmt::format("topology.{}: {} switches with a route to each of {} leaves are more routes than can be held ({}); "
                    "make the fabric smaller",
                    kind, switches, counts.leaves, kMaxRoutes));
  }
}

}  // namespace

Graph leaves_with_hosts(const LeafCounts& counts, const GraphInput& input) {
  check_counts(counts, input.topology.kind);
  Graph graph;
  graph.tiers = leaf_tiers();
  graph.endpoints = counts.leaf(0);
  for (EndpointId e = 0; e < graph.endpoints; ++e) graph.nodes.push_back({Tier::endpoint, 0, fmt::format("gpu{}", e)});
  for (u64 l = 0; l < counts.leaves; ++l) graph.nodes.push_back({kLeaf, 0, fmt::format("leaf{}", l)});
  for (EndpointId e = 0; e < graph.endpoints; ++e) {
    graph.cables.push_back(
        {e, counts.leaf(e / counts.hosts), input.link.host_bits_per_s, input.link.host_propagation_ps});
  }
  return graph;
}

}  // namespace heddle
