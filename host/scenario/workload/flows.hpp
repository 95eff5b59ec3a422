// Flows of a foreign file, which become messages.
#pragma once

#include <string>
#include <vector>

#include "io/formats/htsim.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

/// Converts the node numbers of the imported file to endpoints. Throws ConfigError when a flow begins or ends at a
/// switch or an unknown node, with the `file` of flows and its line.
void place_flows(std::vector<PlainFlow>& flows, const PlainTopology& imported, const std::string& file);

/// A flow that waits until another node's flow to its own source has been sent is made to wait until that flow has been
/// received. Adds differences from htsim and possible misunderstandings to `warnings`; `file` is the matrix's path.
void place_waits(PlainMatrix& matrix, const std::string& file, StartUnit unit, std::vector<std::string>& warnings);

}  // namespace heddle
