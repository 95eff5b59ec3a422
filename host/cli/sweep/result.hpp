// The result of a run of a sweep, compared with its present configuration.
#pragma once

#include <optional>
#include <string>

#include "host/cli/sweep/folder.hpp"
#include "io/results/reader.hpp"

namespace heddle {

struct SweepResult {
  std::optional<RunSummary> summary;  // none: there is no result file, or it cannot be read
  std::string unreadable;             // why the result is unreadable
  /// Keys of the result whose value differs from the present configuration, a line each: the sweep was rewritten, the
  /// file is of another run, or the run was started with --set. `deciding`: keys that change what is simulated, and
  /// values of axes.csv that differ from the result; `beside`: keys that do not ([partition], [checkpoint], [output]).
  std::string deciding, beside;

  /// Whether there is a result, and it has the configuration beside it.
  bool as_configured() const { return summary && deciding.empty(); }
};

/// Where the configuration beside the result cannot be read, there is no result either.
SweepResult read_result(const SweepEntry& run);

/// Whether the run needs no more work: the result has its configuration, and the same run would always end so.
bool is_over(const SweepEntry& run);

}  // namespace heddle
