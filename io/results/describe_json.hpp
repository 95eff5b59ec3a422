// Runs for programs: the same as the texts of report.hpp, as JSON and CSV. io/JSON.md documents the keys.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "io/results/reader.hpp"

namespace heddle {

/// All that describe_run() says, with units in the names of keys; times that never came are null.
nlohmann::ordered_json json_of(const RunSummary& run);

/// -1 is never, or none: null.
nlohmann::ordered_json time_or_null(TimePs time_ps);

/// The outcome of a run as one row of a table: numbers, and texts where there are none; no value is an object.
nlohmann::ordered_json row_of(const RunSummary& run);

/// On one line. What is not UTF-8 (a command line can be anything) is replaced.
std::string line_of(const nlohmann::ordered_json& value);

/// Rows as CSV (RFC 4180) under the union of their keys, in order of appearance; null and what a row lacks are empty.
std::string csv_of(std::span<const nlohmann::ordered_json> rows);

/// json_of() a file, as one line. Throws InputError.
std::string describe_run_json(const std::string& path);

/// compare_runs() as one line of JSON: the runs as json_of(), what differs, and ratios to the first. Throws as
/// compare_runs().
std::string compare_runs_json(std::span<const std::string> paths);

/// One row per run: file, what differs between the configurations, row_of(). Throws as compare_runs().
std::string compare_runs_csv(std::span<const std::string> paths);

}  // namespace heddle
