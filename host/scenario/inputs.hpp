// The files that a configuration names, read: an imported fabric, traces, matrices, flows, distributions of sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "host/scenario/workload/workload.hpp"
#include "io/foreign/plain.hpp"

namespace heddle {

/// The fabric that topology.file describes; nothing where topology.kind imports none. Throws ConfigError for a file
/// that cannot go with the rest of the configuration, InputError for one that cannot be read.
std::optional<PlainTopology> read_imported(const Config& config);

/// All that decides the workload. `imported` may be null. Adds to `notes` what a user should be told of what was made
/// of a file. Throws as read_imported.
WorkloadInput read_workload(const Config& config, const PlainTopology* imported, std::vector<std::string>& notes);

}  // namespace heddle
