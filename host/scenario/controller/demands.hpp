// The traffic from NICs to racks, for which a controller of traffic engineering plans.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/plain.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Traffic from a NIC to the endpoints behind another switch than its own.
struct RackDemand {
  EndpointId src = kNone;
  u32 group = kNone;  // Routing::group_of
  u64 bytes = 0;      // at least 1
};

/// The payload of all messages and collectives of the World, by (source, group). Throws ConfigError for more of them
/// than a controller could plan for.
std::vector<RackDemand> demands_of_workload(const World& world);

/// The pairs (source, group) in ascending order of all that send to one another, even if only empty messages or slices:
/// each of these is a packet that a measuring controller counts. Throws as demands_of_workload().
std::vector<std::pair<EndpointId, u32>> pairs_of_workload(const World& world);

/// A file's demands from rack to rack, divided evenly over the NICs of the sending rack; by (source, group). `path` is
/// the file's, for messages. Throws ConfigError: a name that is no rack's, a rack to itself, a pair given twice.
std::vector<RackDemand> demands_of_file(std::span<const PlainDemand> demands, const std::string& path,
                                        const World& world);

}  // namespace heddle
