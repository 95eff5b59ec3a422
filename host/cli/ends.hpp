// What the status of a result says to the shell, and about going on.
#pragma once

#include <string>
#include <string_view>

#include "host/run/simulation.hpp"

namespace heddle {

/// The status attribute (io/RESULT_FILE.md).
std::string status_of(const SimulationResult& result);

/// Of a run that ended with this status.
int exit_code_of(std::string_view status);

/// Whether the same run would always end so. False where more room, more memory or more patience takes it further:
/// interrupted, output_full, error, partial.
bool is_final(std::string_view status);

}  // namespace heddle
