// Assigns paths from a file to queue pairs: replays the paths of another simulator's packets.
#pragma once

#include <span>

#include "io/formats/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Gives every QP the data and ACK path of its (src, dst). Node numbers are the imported file's, or with `imported`
/// null those of the world (endpoints first). The first of parallel links is used. Fills path_first, hops and the QPs'
/// paths. Throws ConfigError: a QP without path, ends that differ from src and dst, consecutive nodes without a link, a
/// switch twice on one path.
void add_explicit_paths(std::span<const PlainPath> paths, const PlainTopology* imported, World& world);

}  // namespace heddle
