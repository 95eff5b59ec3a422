// By how much policy `weighted` prefers links.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/foreign/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// [link] its speed in Mb/s, all divided by what divides all of them; at least 1.
std::vector<u32> weights_by_speed(const Fabric& fabric);

/// Fills Routing::link_weight: what the file says of (switch, next hop) holds for each of their parallel links, all
/// other links weigh 1. `path` is the file's, for messages. Throws ConfigError: a name that no node has, nodes without
/// a link, a pair given twice.
void set_link_weights(std::span<const PlainWeight> weights, const std::string& path, World& world);

}  // namespace heddle
