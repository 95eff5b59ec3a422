// What becomes of the files when a run has ended, well or not. For the rank that writes them.
#pragma once

#include "host/cli/prepared.hpp"

namespace heddle {

/// Everything that can fail comes before the step after which nobody could go back: the result is closed, the exports
/// are written, then all take their names; checkpoints are removed last, and only when nothing could take the run
/// further (is_final). Prints the summary and returns the exit code. Throws OutputError.
int conclude(const Prepared& p, SimulationResult& result, ResultWriter& writer);

/// What is left of a run that has failed, and how to go on; a line each.
std::string what_is_left(const Prepared& p, const ResultWriter& writer);

}  // namespace heddle
