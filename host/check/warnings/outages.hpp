// The remaining fabric under the schedule of failures.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// Whether the routes at the start of the run differ from those with all cables up, as cables are down at the start.
bool differs_at_start(const World& world);

/// How many cables change and when, and which switches then have less capacity up than down, worst first, with the
/// time. "" without failures.
std::string outages_text(const World& world);

/// Parts of a schedule that may have unintended effects: NICs and switches that are cut off for longer than queue pairs
/// retry, paths that do not react.
std::vector<std::string> warnings_of_outages(const World& world);

/// Whether routes may deadlock once cables are down. Packets that queue under one set of routes may also meet those of
/// the next set; that is not checked.
struct LaterRoutes {
  std::string warning;        // a cycle of buffer dependences; "": none was found
  std::size_t looked_at = 0;  // distinct sets of routes that were checked
  bool all = true;            // all sets of routes were checked
};

/// Checks the routes after failures. Takes a walk over the fabric for every set of routes.
LaterRoutes later_routes(const World& world);

}  // namespace heddle
