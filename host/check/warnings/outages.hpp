// What the schedule of failures leaves of a fabric.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// How many cables change and when, and which switches then have less capacity up than down, worst first, with the
/// time. "" when nothing fails.
std::string outages_text(const World& world);

/// What of a schedule may end in something else than was meant: NICs and switches that are cut off for longer than
/// queue pairs try, paths that do not react.
std::vector<std::string> warnings_of_outages(const World& world);

/// Whether routes may deadlock once cables are out. Packets that queue by one set of routes may also meet those of the
/// next one; that is not looked at.
struct LaterRoutes {
  std::string warning;        // of a cycle of buffer dependencies; "": none was found
  std::size_t looked_at = 0;  // sets of routes, each of them once
  bool all = true;            // there are no more
};

/// Takes a walk over the fabric for every set of routes.
LaterRoutes later_routes(const World& world);

}  // namespace heddle
