// Conversion of options to the fabric and routing tables of a World.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/scenario/topology/buffer_options.hpp"
#include "host/scenario/topology/options.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "io/formats/plain.hpp"
#include "kernels/routing/parameters.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// All inputs of the fabric. `classes`, packet sizes and the slot come with the World.
struct FabricOptions {
  TopologyOptions topology;
  LinkOptions link;
  LatencyOptions latency;
  LeafOptions leaves;
  BufferOptions rtsw_buffer = rtsw_buffer_defaults();
  BufferOptions ctsw_buffer = ctsw_buffer_defaults();
  BufferOptions atsw_buffer = atsw_buffer_defaults();
  PfcOptions pfc;
  EcnOptions ecn;
};

struct OtherFabricOptions;

/// Fills world.fabric and world.routing (without explicit paths: explicit_paths.hpp). Reads world.fabric.classes,
/// world.roce (packet sizes) and world.clocks (slot and epoch: sampling_clocks), which must be set before. `imported`
/// is the parsed file of kinds that have one and null for every other kind. `empty_messages`: jobs may send
/// some without payload. `others`: fabrics beside this one. Throws ConfigError.
void build_topology(const FabricOptions& options, const RoutingOptions& routing, const PlainTopology* imported,
                    World& world, bool empty_messages = true, std::span<const OtherFabricOptions> others = {});

/// The nodes, links, memories and marks of one fabric by itself. Reads what build_topology does. Throws ConfigError.
void build_fabric(const FabricOptions& options, const PlainTopology* imported, World& world, bool empty_messages);

/// Node ids of an imported file's ids: endpoints get [0, endpoints) in the file's order, switches follow; kNone for
/// omitted hosts.
std::vector<NodeId> node_ids_of(const PlainTopology& imported);

/// "endpoint 0 is node 1 of the topology file (host1)", where endpoints differ from the node ids of an imported file;
/// else "".
std::string about_imported_numbers(const Fabric& fabric);

}  // namespace heddle
