// Reads the files that a configuration names: an imported fabric, traces, matrices, flows, distributions of sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/scenario/workload/workload.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

struct Config;

/// The fabric that topology.file describes; nothing where topology.kind imports none. Throws ConfigError for a file
/// that conflicts with the configuration, InputError for an unreadable one.
std::optional<PlainTopology> read_imported(const Config& config);

/// All inputs of the workload. `imported` may be null. Adds notes for the user on the interpretation of a file to
/// `notes`. Throws as read_imported.
WorkloadInput read_workload(const Config& config, const PlainTopology* imported, std::vector<std::string>& notes);

}  // namespace heddle
