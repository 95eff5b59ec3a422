// The servers of a job where few of its bytes leave their zone, and of the others few their rack.
#pragma once

#include <span>
#include <vector>

#include "partition/placement/division.hpp"

namespace heddle {

/// A server for each vertex of `graph`, of those in `free`, which ascend and are at least as many. They lie in as few
/// zones as possible, those with most free servers, and there in as few racks. Never do more bytes cross zones than
/// when the first free servers were taken in order, nor, if as many do, racks.
std::vector<u32> place_min_cut(const ServerGraph& graph, std::span<const u32> free, std::span<const u32> zone_of,
                               std::span<const u32> rack_of);

}  // namespace heddle
