// The commands of `heddle`. Each takes its parsed arguments and returns an exit code (exit_codes.hpp); errors of the
// user leave as ConfigError or IoError and become exit code 2 in app.cpp.
#pragma once

#include <string>
#include <vector>

#include "host/cli/arguments.hpp"

namespace heddle {

int command_run(const RunArguments& arguments);
/// Simulates small worlds on the device and on the CPU and compares all bits; kExitInternalError when some differ.
int command_selftest(const SelfTestArguments& arguments);
int command_check(const CheckArguments& arguments);
int command_config(const std::string& config_path, const std::vector<std::string>& sets, bool reference);
/// Translates another simulator's parameters and writes the configuration.
int command_import(const ImportArguments& arguments);
/// Shows result files, .parts included, and checkpoints; as JSON one line each. Readable files are shown; kExitBadInput
/// when some are not.
int command_info(const std::vector<std::string>& paths, ReportFormat format);
/// Compares result files, or the runs of one sweep's folder; kExitNotComplete when a run of it has no result, or one of
/// another configuration. `every_run`: the text of a sweep shows runs instead of means over seeds.
int command_compare(const std::vector<std::string>& paths, ReportFormat format, bool every_run = false);

}  // namespace heddle
