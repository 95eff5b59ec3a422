// What a run of a sweep has left, held against what its configuration says now.
#pragma once

#include <optional>
#include <string>

#include "host/cli/sweep/folder.hpp"
#include "io/results/reader.hpp"

namespace heddle {

struct SweepResult {
  std::optional<RunSummary> summary;  // none: there is no result file, or it cannot be read
  std::string unreadable;             // why
  /// Keys whose value is not that of the configuration as it is now, a line each: the sweep was written anew, the file
  /// is of another run, or the run was started with --set. Those that change what is simulated, and those that do not
  /// ([partition], [checkpoint], [output]). Also values of axes.csv that are not those of the result.
  std::string deciding, beside;

  /// There is one, and it is of the configuration beside it.
  bool as_configured() const { return summary && deciding.empty(); }
};

/// Also when the configuration beside it cannot be read, there is no result.
SweepResult read_result(const SweepEntry& run);

/// Nothing is left to do: the result is of its configuration, and the same run would always end so.
bool is_over(const SweepEntry& run);

}  // namespace heddle
