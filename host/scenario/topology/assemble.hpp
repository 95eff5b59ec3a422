// Conversion of nodes and cables to the fabric's tables: ports, directed links, speeds and latencies.
#pragma once

#include "host/scenario/topology/graph.hpp"
#include "host/scenario/topology/topology.hpp"

namespace heddle {

/// Nodes, links and names of the fabric, without buffers and marking. Throws ConfigError: an endpoint without exactly
/// one cable, cables between endpoints or from a node to itself, too many ports, impossible rates or latencies.
Fabric assemble_fabric(const Graph& graph, const FabricOptions& options);

/// Time after which a node obeys a pause frame received at `bits_per_s`: IEEE 802.3 31B.3.7, quanta of 64 B.
TimePs standard_pause_response_ps(u64 bits_per_s);

/// "gpu0 port 0 -> rtsw0 port 3", for messages.
std::string describe_link(const Fabric& fabric, LinkId link);

}  // namespace heddle
