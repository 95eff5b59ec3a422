// The exit code of a result's status, and whether the run can be resumed.
#pragma once

#include <string>
#include <string_view>

#include "host/run/simulation.hpp"

namespace heddle {

/// The status attribute (io/RESULT_FILE.md).
std::string status_of(const SimulationResult& result);

/// The exit code of a run that ended with this status.
int exit_code_of(std::string_view status);

/// Whether the same run would always end with this status. False where more disk, memory or time lets it continue:
/// interrupted, output_full, error, partial.
bool is_final(std::string_view status);

}  // namespace heddle
