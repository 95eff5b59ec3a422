// The parsed arguments of the commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"

namespace heddle {

struct RunArguments {
  std::string config_path;
  std::vector<std::string> sets;
  std::string output_path;  // -o; empty: output.file, else the configuration's name with .h5
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
  u32 ranks = 0;          // 0: no partition is shown
  std::string partition;  // empty: partition.policy of the configuration
  std::string draw_path;  // empty: no picture is drawn
};

struct ImportArguments {
  std::string format;  // one of those of "import"
  std::string input_path;
  std::string output_path;  // -o; empty: the input's name with .toml
  bool force = false;       // replace the output
  std::string window = "exact";
};

struct SelfTestArguments {
  std::string device = "auto";
  std::optional<u32> worlds;  // none: two of every kind
};

/// The format of a printed report.
enum class ReportFormat : u8 { text, json, csv };

}  // namespace heddle
