// The command line of `heddle`.
#pragma once

namespace heddle {

/// Parses the arguments, runs the command, prints errors to standard error and returns the exit code.
int run_app(int argc, char** argv);

}  // namespace heddle
