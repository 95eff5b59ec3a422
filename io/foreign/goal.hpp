// GOAL text: schedules of sends, receives and computations by rank (Hoefler, Siebert, Lumsdaine 2009), as LogGOPSim
// reads them.
#pragma once

#include "io/foreign/trace.hpp"

namespace heddle {

/// Reads a schedule. The n-th send from one rank to another with a tag is received by the n-th recv of that pair and
/// tag; times of calc are nanoseconds. Throws InputError with line and column: what is malformed, names an unknown
/// label or rank, waits for itself, or has no counterpart.
Trace read_goal(const std::string& path);

}  // namespace heddle
