// The picture of a configuration's fabric as SVG, for `heddle check --draw` and the result file.
#pragma once

#include <string>

#include "host/scenario/topology/options.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle {

struct Config;

/// What a picture is called: "torus, 16 columns x 16 rows of leaves, all rings"; of other topologies their kind.
std::string fabric_title(const TopologyOptions& topology);

/// `fabric` is that of the configuration.
std::string fabric_picture(const Config& config, const std::string& title, const Fabric& fabric);

}  // namespace heddle
