#include "host/topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/error.hpp"
#include "host/topology/assemble.hpp"
#include "host/topology/buffers.hpp"
#include "host/topology/registry.hpp"
#include "host/topology/shortest_paths.hpp"
#include "kernels/fabric/packet.hpp"

namespace heddle {
namespace {

/// The largest frame that any packet of this transport can have.
u32 max_frame_bytes(const RoceSettings& roce) {
  const u32 data = roce.mtu_bytes + roce.data_overhead_wire_bytes + roce.reth_bytes;
  const u32 wire = std::max({data, roce.ack_wire_bytes, roce.cnp_wire_bytes, roce.cts_wire_bytes});
  if (wire < kWireGapBytes + 1 || wire - kWireGapBytes > kMaxFrameBytes) {
    throw ConfigError(
        fmt::format("roce.mtu: packets of {} B on the wire do not fit; a frame (wire less 20) has 1 to {} B", wire,
                    kMaxFrameBytes));
  }
  return wire - kWireGapBytes;
}

void check_classes(const Fabric& fabric) {
  if (fabric.classes.size() < 2 || fabric.classes.size() > kMaxClasses) {
    throw ConfigError(fmt::format("class: {} traffic classes; there must be 2 (control and data) to {}",
                                  fabric.classes.size(), kMaxClasses));
  }
}

}  // namespace

void build_topology(const FabricOptions& options, const RoutingOptions& routing, const PlainTopology* imported,
                    World& world) {
  check_classes(world.fabric);
  const GraphBuilder build = graph_builder(options.topology.kind);
  const Graph graph = build({options.topology, options.link, imported});
  std::vector<TrafficClass> classes = std::move(world.fabric.classes);
  world.fabric = assemble_fabric(graph, options.latency, options.pfc);
  world.fabric.classes = std::move(classes);
  world.fabric.max_frame_bytes = max_frame_bytes(world.roce);
  add_buffers(options, world);
  add_marking(options.ecn, world.fabric);
  world.routing = {};
  world.routing.policy = routing_policy_of(routing.policy);
  world.routing.common_seed = routing.common_seed;
  build_routes(world.fabric, world.routing);
}

}  // namespace heddle
