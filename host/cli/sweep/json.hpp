// `heddle compare FOLDER --json` and `--csv`.
#pragma once

#include <string>

#include "host/cli/sweep/report.hpp"

namespace heddle {

/// One line: the runs with their axes and, where there is a result, the output of `heddle info --json` for it.
std::string sweep_json(const std::string& folder, const SweepReport& report);

/// One row per run: name, axes, status, outcome.
std::string sweep_csv(const SweepReport& report);

}  // namespace heddle
