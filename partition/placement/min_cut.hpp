// A placement for which few bytes of a job leave their zone, and few of the others their rack.
#pragma once

#include <span>
#include <vector>

#include "partition/placement/division.hpp"

namespace heddle {

/// A server for each vertex of `graph`, out of `free`, which ascend and are at least as many. They are in as few zones
/// as possible, those with most free servers, and there in as few racks. Never do more bytes cross zones than with the
/// first free servers in order, nor, if as many do, racks.
std::vector<u32> place_min_cut(const ServerGraph& graph, std::span<const u32> free, std::span<const u32> zone_of,
                               std::span<const u32> rack_of);

}  // namespace heddle
