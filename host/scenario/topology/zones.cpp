#include "host/scenario/topology/zones.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check_size(const TopologyOptions& o, const ZoneLayout& layout) {
  const bool atsws = o.kind == "multi_zone";
  const u64 racks = static_cast<u64>(layout.zones) * o.racks, ctsws = static_cast<u64>(layout.zones) * o.ctsws;
  const u64 cables =
      racks * (static_cast<u64>(o.gpus_per_rack) + o.uplinks_per_rtsw) + (atsws ? ctsws * o.uplinks_per_ctsw : 0);
  // Rows of the next-hop table: one for all RTSWs; CTSWs of a zone share one if each has as many cables to a rack.
  const u64 rows = 1 + (o.uplinks_per_rtsw % o.ctsws == 0 ? layout.zones : ctsws) + (atsws ? o.atsws : 0);
  const u64 switches = racks + ctsws + (atsws ? o.atsws : 0);
  if (cables <= kMaxCables && rows <= kMaxRoutes / racks) return;
  throw ConfigError(
      fmt::format("topology: {} switches, {} racks and {} cables are more than can be held ({} cables, {} routes to "
                  "every rack from all switches that do not forward alike); make the fabric smaller",
                  switches, racks, cables, kMaxCables, kMaxRoutes));
}

void check_layout(const TopologyOptions& o, const ZoneLayout& layout) {
  if (layout.zones == 0 || o.racks == 0 || o.gpus_per_rack == 0 || o.ctsws == 0) {
    throw ConfigError("topology: zones, racks, gpus_per_rack and ctsws must all be at least 1");
  }
  const u64 endpoints = static_cast<u64>(layout.zones) * o.racks * o.gpus_per_rack;
  if (endpoints > kMaxAddresses) {
    throw ConfigError(
        fmt::format("topology: {} zones x {} racks x {} GPUs are {} endpoints, but a packet can address "
                    "{}; make one of the three smaller",
                    layout.zones, o.racks, o.gpus_per_rack, endpoints, kMaxAddresses));
  }
  if (o.uplinks_per_rtsw < o.ctsws) {
    throw ConfigError(
        fmt::format("topology.uplinks_per_rtsw: {} uplinks cannot reach all {} CTSWs, and two racks "
                    "without a common CTSW could not talk; set ctsws to {} or fewer",
                    o.uplinks_per_rtsw, o.ctsws, o.uplinks_per_rtsw));
  }
}

void add_nodes(Graph& graph, const ZoneLayout& layout) {
  const u32 per_zone = layout.racks * layout.gpus_per_rack;
  for (u32 e = 0; e < layout.endpoints(); ++e) {
    graph.nodes.push_back({Tier::endpoint, e / per_zone, fmt::format("gpu{}", e)});
  }
  for (u32 r = 0; r < layout.zones * layout.racks; ++r) {
    graph.nodes.push_back({kRtsw, r / layout.racks, fmt::format("rtsw{}", r)});
  }
  for (u32 c = 0; c < layout.zones * layout.ctsws; ++c) {
    graph.nodes.push_back({kCtsw, c / layout.ctsws, fmt::format("ctsw{}", c)});
  }
}

}  // namespace

Graph build_zones(const GraphInput& input, const ZoneLayout& layout) {
  check_layout(input.topology, layout);
  check_size(input.topology, layout);
  Graph graph;
  graph.tiers = zone_tiers();
  graph.endpoints = layout.endpoints();
  add_nodes(graph, layout);
  for (u32 e = 0; e < graph.endpoints; ++e) {
    const NodeId rtsw = layout.endpoints() + e / layout.gpus_per_rack;
    graph.cables.push_back({e, rtsw, input.link.host_bits_per_s, input.link.host_propagation_ps});
  }
  const u32 uplinks = input.topology.uplinks_per_rtsw;
  for (u32 zone = 0; zone < layout.zones; ++zone) {
    for (u32 rack = 0; rack < layout.racks; ++rack) {
      for (u32 up = 0; up < uplinks; ++up) {
        // Each rack starts where the previous one ended, so that uplinks beyond a multiple of ctsws are spread evenly.
        const u32 index = static_cast<u32>((static_cast<u64>(rack) * uplinks + up) % layout.ctsws);
        graph.cables.push_back({layout.rtsw(zone, rack), layout.ctsw(zone, index), input.link.rtsw_ctsw_bits_per_s,
                                input.link.rtsw_ctsw_propagation_ps});
      }
    }
  }
  return graph;
}

}  // namespace heddle
