// Flows of a foreign file, which become messages.
#pragma once

#include <string>
#include <vector>

#include "io/foreign/htsim.hpp"
#include "io/foreign/plain.hpp"

namespace heddle {

/// From the node numbers of the file that was imported to endpoints. Throws ConfigError when a flow begins or ends at a
/// switch or an unknown node, with the `file` of flows and its line.
void place_flows(std::vector<PlainFlow>& flows, const PlainTopology& imported, const std::string& file);

/// A flow that begins when another node's flow to its own source has been sent is made to begin when it has been
/// received there. Adds to `warnings` what differs from htsim, or may be meant otherwise; `file` is the matrix's path.
void place_waits(PlainMatrix& matrix, const std::string& file, StartUnit unit, std::vector<std::string>& warnings);

}  // namespace heddle
