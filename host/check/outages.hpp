// What the schedule of failures leaves of a fabric.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

/// How many cables change and when, and which switches then have less capacity up than down, worst first, with the
/// time. "" when nothing fails.
std::string outages_text(const World& world);

/// What of a schedule may end in something else than was meant: NICs that are cut off for longer than their queue pairs
/// try, paths that do not react.
std::vector<std::string> warnings_of_outages(const World& world);

/// Whether routes may deadlock once cables are out: a warning, or "". Takes a walk over the fabric for every change of
/// routes.
std::string warning_of_later_routes(const World& world);

}  // namespace heddle
