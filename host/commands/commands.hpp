// The commands of `heddle`. Each takes its parsed arguments and returns an exit code (exit_codes.hpp); errors of the
// user leave as ConfigError or IoError and become exit code 2 in app.cpp.
#pragma once

#include <string>
#include <vector>

#include "host/cli/arguments.hpp"

namespace heddle {

int command_run(const RunArguments& arguments);
/// Small worlds on the device and on the CPU, bit by bit; kExitInternalError when some differ.
int command_selftest(const SelfTestArguments& arguments);
int command_check(const CheckArguments& arguments);
int command_config(const std::string& config_path, const std::vector<std::string>& sets, bool reference);
/// Translates another simulator's parameters and writes the configuration.
int command_import(const ImportArguments& arguments);
/// Result files, also .parts, and checkpoints; as JSON one line each. What can be read is shown; kExitBadInput when
/// some cannot.
int command_info(const std::vector<std::string>& paths, ReportFormat format);
/// Result files, or the one folder of a sweep; kExitNotComplete when a run of it has no result, or one of another
/// configuration. `every_run`: the text of a sweep is not of means over seeds.
int command_compare(const std::vector<std::string>& paths, ReportFormat format, bool every_run = false);

}  // namespace heddle
