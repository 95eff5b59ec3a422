// The files that a run writes: their names, and whether it may write them.
#pragma once

#include <string>

#include "host/cli/arguments.hpp"

namespace heddle {

struct Config;
struct OutputOptions;

/// -o as it is given, else output.file or its default, placed as placed_output does.
std::string output_path_of(const RunArguments& arguments, const Config& config);

/// [output] with the names of its files as they can be opened from the working folder (output.relative_to).
OutputOptions placed_output(const Config& config);

/// Checks that no file of the run replaces another one or a file that the run reads, and that none has an ending that a
/// run uses beside its result. Throws ConfigError.
void check_names(const Config& config, const std::string& result_path);

/// Checks before the run that the text exports, which are written at its end, can be written. Throws OutputError.
void check_exports(const OutputOptions& output, bool overwrite);

}  // namespace heddle
