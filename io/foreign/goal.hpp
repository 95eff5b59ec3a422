// GOAL text: schedules of sends, receives and computations by rank (Hoefler, Siebert, Lumsdaine 2009), as LogGOPSim
// reads them.
#pragma once

#include "io/foreign/trace.hpp"

namespace heddle {

/// Reads a schedule, whose operations come in the order of schedule.hpp. A send is received by a recv of the same pair
/// and tag, one after the other as they are posted, and its size counts; times of calc are nanoseconds. Throws
/// InputError with line and column: what is malformed, names an unknown label or rank, waits for itself, or has no
/// counterpart, and wildcards; ranks of which nothing is said.
Trace read_goal(const std::string& path);

}  // namespace heddle
