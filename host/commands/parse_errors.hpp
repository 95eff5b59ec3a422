// Errors in the words of the command line.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle {

/// Prints the error that CLI11 found; --help and --version are no errors and print what was asked for. Where mpirun or
/// srun has started several ranks, the lowest of those with an error prints it, and the others end in silence. Returns
/// the exit code.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace heddle
