// The files that a run writes: their names, and whether they may be written.
#pragma once

#include <string>

#include "host/cli/arguments.hpp"
#include "host/config/config.hpp"

namespace heddle {

/// -o as it is given, else output.file or its default, placed as placed_output does.
std::string output_path_of(const RunArguments& arguments, const Config& config);

/// [output] with the names of its files as they can be opened from the working folder (output.relative_to).
OutputOptions placed_output(const Config& config);

/// No file of the run takes another one's place, or that of a file that it reads, or has a name that a run gives the
/// files beside its result. Throws ConfigError.
void check_names(const Config& config, const std::string& result_path);

/// The text exports are written at the end: whether they can be is asked before. Throws OutputError.
void check_exports(const OutputOptions& output, bool overwrite);

}  // namespace heddle
