// GOAL text: schedules of sends, receives and computations by rank (Hoefler, Siebert, Lumsdaine 2009), as LogGOPSim
// reads them.
#pragma once

#include "io/formats/trace.hpp"

namespace heddle {

/// LogGOPSim's S (--LogGOPS_S in its simulator.ggo): a send of at most so many bytes is eager.
inline constexpr u64 kLogGOPSimEagerBytes = 65'535;

/// Reads a schedule, whose operations come in the order of schedule.hpp. A send is received by a recv of the same pair
/// and tag, one after the other as they are posted, and its size counts. One of at most `eager_bytes` is done as soon
/// as it is handed over; a larger one waits for its recv. Times of calc are nanoseconds. Throws
/// InputError with line and column: what is malformed, names an unknown label or rank, waits for itself, or has no
/// counterpart, and wildcards; ranks of which nothing is said.
Trace read_goal(const std::string& path, u64 eager_bytes = kLogGOPSimEagerBytes);

}  // namespace heddle
