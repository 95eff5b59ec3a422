// The final handling of a run's files, whether it succeeded or not, on the rank that writes them.
#pragma once

#include "host/cli/prepared.hpp"

namespace heddle {

/// Everything that can fail comes before the irreversible step: the result is closed, the exports are written, then all
/// files get their names; checkpoints are removed last, and only when the run cannot be resumed (is_final). Prints the
/// summary and returns the exit code. Throws OutputError.
int conclude(const Prepared& p, SimulationResult& result, ResultWriter& writer);

/// The remaining files of a failed run, and how to resume it; a line each.
std::string what_is_left(const Prepared& p, const ResultWriter& writer);

}  // namespace heddle
