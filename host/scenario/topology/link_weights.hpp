// The weights by which policy `weighted` prefers links.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/formats/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// [link] its speed in Mb/s, divided by the greatest common divisor of all; at least 1.
std::vector<u32> weights_by_speed(const Fabric& fabric);

/// Fills Routing::link_weight: the file's weight of (switch, next hop) applies to each of their parallel links, all
/// other links have weight 1. `path` is the file's, for messages. Throws ConfigError: a name that no node has, nodes
/// without a link, a pair given twice.
void set_link_weights(std::span<const PlainWeight> weights, const std::string& path, World& world);

}  // namespace heddle
