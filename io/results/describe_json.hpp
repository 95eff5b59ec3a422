// Runs for programs: the same as the texts of report.hpp, as JSON and CSV. io/JSON.md documents the keys.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "io/results/reader.hpp"

namespace heddle {

/// Returns all that describe_run() shows, with units in the names of keys; times that were never reached are null.
nlohmann::ordered_json json_of(const RunSummary& run);

/// Returns null for -1 (never, or none).
nlohmann::ordered_json time_or_null(TimePs time_ps);

/// Returns the outcome of a run as one row of a table: numbers, and texts where there are none; no value is an object.
nlohmann::ordered_json row_of(const RunSummary& run);

/// Returns the value on one line. Bytes that are not UTF-8 (a command line can hold anything) are replaced.
std::string line_of(const nlohmann::ordered_json& value);

/// Returns rows as CSV (RFC 4180) under the union of their keys, in order of appearance; null and missing values are
/// empty.
std::string csv_of(std::span<const nlohmann::ordered_json> rows);

/// Returns json_of() of a file as one line. Throws InputError.
std::string describe_run_json(const std::string& path);

/// Returns compare_runs() as one line of JSON: the runs as json_of(), the differences, and ratios to the first run.
/// Throws as compare_runs().
std::string compare_runs_json(std::span<const std::string> paths);

/// Returns one row per run: file, differences between the configurations, row_of(). Throws as compare_runs().
std::string compare_runs_csv(std::span<const std::string> paths);

}  // namespace heddle
