// Checks of the output settings before a run: refuses output that cannot fit, warns of output that would be empty.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct OutputOptions;

/// Compares output.max_bytes with what the World decides about the result file, before compression: topology, messages,
/// collectives, and the rows of /series when the end is known. What cannot be known (events, a run without horizon) is
/// watched during the run: ResultWriter::full(). Throws ConfigError that names what to reduce.
void check_output_budget(const OutputOptions& output, const World& world);

/// Warnings of requested output that will be empty.
std::vector<std::string> warnings_of_output(const OutputOptions& output, const World& world);

}  // namespace heddle
