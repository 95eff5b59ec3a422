// The commands of `heddle`. Each takes its parsed arguments and returns an exit code (exit_codes.hpp); errors of the
// user leave as ConfigError or IoError and become exit code 2 in app.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

struct RunArguments {
  std::string config_path;
  std::vector<std::string> sets;
  std::string output_path;  // empty: output.file, else the configuration's name with .h5
  bool force = false;
  std::string device = "auto";
  std::optional<u32> threads;  // none given: cores.hpp
  std::string memory;          // a size; empty: most of what the machine and its control groups allow
  bool check_invariants = false;
  std::string resume;  // empty: from the start; "auto": from the newest checkpoint, if any; else from this file
  bool quiet = false;
  std::string command_line;  // for the result file
};

struct CheckArguments {
  std::vector<std::string> config_paths;
  std::vector<std::string> sets;
  u32 ranks = 0;          // 0: no division is shown
  std::string partition;  // empty: partition.policy of the configuration
};

struct ImportArguments {
  std::string format;  // "hpcc"
  std::string input_path;
  std::string output_path;  // empty: the input's name with .toml
  bool force = false;       // replace the output
  std::string window = "exact";
};

struct SelfTestArguments {
  std::string device = "auto";
  std::optional<u32> worlds;  // none: every kind twice
};

int command_run(const RunArguments& arguments);
/// Small worlds on the device and on the CPU, bit by bit; kExitInternalError when some differ.
int command_selftest(const SelfTestArguments& arguments);
int command_check(const CheckArguments& arguments);
int command_config(const std::string& config_path, const std::vector<std::string>& sets, bool reference);
/// How a report is printed.
enum class ReportFormat : u8 { text, json, csv };

/// Translates another simulator's parameters and writes the configuration.
int command_import(const ImportArguments& arguments);
/// Result files, also .parts, and checkpoints; as JSON one line each. What can be read is shown; kExitBadInput when
/// some cannot.
int command_info(const std::vector<std::string>& paths, ReportFormat format);
/// Result files, or the one folder of a sweep; kExitNotComplete when a run of it has no result, or one of another
/// configuration. `every_run`: the text of a sweep is not of means over seeds.
int command_compare(const std::vector<std::string>& paths, ReportFormat format, bool every_run = false);

}  // namespace heddle
