// Output that cannot fit is refused before anything runs, and what would be empty is warned of.
#pragma once

#include <string>
#include <vector>

#include "host/config/options.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Compares output.max_bytes with what the World decides about the result file, before compression: topology, messages,
/// collectives, and the rows of /series when the end is known. What cannot be known (events, a run without horizon) is
/// watched while the run goes on: ResultWriter::full(). Throws ConfigError with what to turn down.
void check_output_budget(const OutputOptions& output, const World& world);

/// What was asked for and will be empty.
std::vector<std::string> warnings_of_output(const OutputOptions& output, const World& world);

}  // namespace heddle
