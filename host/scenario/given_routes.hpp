// Routes that a configuration gives in addition to its policies: explicit paths, link weights, the controller's plan.
#pragma once

#include "host/config/config.hpp"
#include "io/formats/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Config;

/// Of routing.paths_file. `imported` may be null. This and the next two throw ConfigError for a file that is missing or
/// that no policy looks at.
void set_explicit_paths(const Config& config, const PlainTopology* imported, World& world);

/// Sets the weights of routing.weights_file.
void set_weights(const Config& config, World& world);

/// Plans for the demands of routing.demands_file or of the workload; fabric and clocks must be set. Does nothing where
/// the controller measures the demands: then it solves during the run (host/scenario/controller/settings.hpp).
void set_traffic_engineering(const Config& config, World& world);

}  // namespace heddle
