// Routes that a configuration gives beside its policies: explicit paths, weights of links, the controller's plan.
#pragma once

#include "host/config/config.hpp"
#include "io/foreign/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Of routing.paths_file. `imported` may be null. This and the next two throw ConfigError for a file that is missing or
/// that no policy looks at.
void set_explicit_paths(const Config& config, const PlainTopology* imported, World& world);

/// Of routing.weights_file.
void set_weights(const Config& config, World& world);

/// Plans for the demands of routing.demands_file or of the workload, for fabric and clocks that are there. Nothing
/// where the controller measures them: it solves while the run goes on (host/scenario/controller/settings.hpp).
void set_traffic_engineering(const Config& config, World& world);

}  // namespace heddle
