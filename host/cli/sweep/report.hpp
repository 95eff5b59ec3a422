// `heddle compare FOLDER`: the runs of a sweep side by side, and which are missing.
#pragma once

#include <string>
#include <vector>

#include "host/cli/sweep/rows.hpp"

namespace heddle {

struct SweepReport {
  std::vector<std::string> keys;  // keys of the axes
  std::vector<SweepRow> rows;     // for programs
  std::string text;
  std::string reasons;   // why results are unreadable or not as configured; also part of `text`
  std::string warnings;  // warnings of the runs; also part of `text`
  std::string missing;   // what to do about runs without a result of their configuration; empty: every run has one
};

/// Columns: the axes, status and end, completion times of messages, sums that are not zero everywhere; a second table
/// has the busbw of every collective. One row per run; where several differ in simulation.seed alone, one row for
/// those, with means and their 95 % confidence intervals (mean_interval.hpp), unless `every_run`. A result whose
/// configuration is not that of its .toml, or not what axes.csv says, is in no mean and marked, named with the keys
/// that differ, and counts as missing; keys of [partition], [checkpoint] and [output], which do not change what is
/// simulated, are named only. Throws InputError when the folder is none of a sweep; an unreadable result file counts as
/// missing, and the text says why.
SweepReport report_sweep(const std::string& folder, bool every_run = false);

}  // namespace heddle
