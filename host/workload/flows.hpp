// Flows of a foreign file as explicit messages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/workload/options.hpp"
#include "io/foreign/htsim.hpp"
#include "io/foreign/plain.hpp"

namespace heddle {

/// One lossless message per flow, in the file's order. `imported` maps the file's node numbers; null: they are
/// endpoint numbers already. The file's one priority is the lossless class; its ports have no counterpart here. Throws
/// ConfigError when a flow begins or ends at a switch or an unknown node, with `file` and its line.
std::vector<MessageOptions> messages_from_flows(std::span<const PlainFlow> flows, const PlainTopology* imported,
                                                const std::string& file);

/// One lossless message per flow of a connection matrix, in the file's order; its nodes are endpoints. A flow that
/// begins when another node's flow to its own source has been sent begins when it has been received there. Adds to
/// `warnings` what differs from htsim, or may be meant otherwise; `file` is the matrix's path.
std::vector<MessageOptions> messages_from_matrix(const PlainMatrix& matrix, const std::string& file, StartUnit unit,
                                                 std::vector<std::string>& warnings);

}  // namespace heddle
