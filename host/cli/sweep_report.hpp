// `heddle compare FOLDER`: the runs of a sweep, one in a row, and which are not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/reader.hpp"

namespace heddle {

/// One run of a sweep, for programs.
struct SweepRow {
  std::string name, status, config_path, result_path;
  std::vector<std::pair<std::string, std::string>> axes;  // key, value
  bool as_configured = true;                              // false: the result is of another configuration
  std::optional<RunSummary> result;                       // none: the status says why
};

struct SweepReport {
  std::vector<SweepRow> rows;
  std::string text;
  std::string missing;  // what to do about runs without a result of their configuration; empty: every run has one
};

/// Reads the result files one after the other. Columns: the axes, status and end, completion times of messages, sums
/// that are not zero everywhere; a second table: busbw of every collective. A result whose configuration is not that of
/// its .toml is marked, named with the keys that differ, and counts as missing; keys of [partition], [checkpoint] and
/// [output], which do not change what is simulated, are named only. Throws InputError when the folder is none of a
/// sweep; a result file that cannot be read counts as missing, and the text says why.
SweepReport report_sweep(const std::string& folder);

}  // namespace heddle
