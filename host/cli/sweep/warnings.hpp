// The warnings of the runs of a sweep, each in its own log, where they are easily missed.
#pragma once

#include <string>

#include "host/cli/sweep/folder.hpp"

namespace heddle {

/// A line for each warning, with the runs that gave it; empty: there is none. Only for runs with a result and a log,
/// which `heddle sweep --run` writes.
std::string warnings_of_runs(const SweepFolder& sweep);

}  // namespace heddle
