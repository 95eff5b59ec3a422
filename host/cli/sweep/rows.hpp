// The runs of a sweep as numbers, one row each: the report prints them one by one or over seeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/cli/sweep/folder.hpp"
#include "io/results/reader.hpp"

namespace heddle {

/// The ending of the status of a result that belongs to another configuration.
inline constexpr const char* kOtherConfiguration = "NOT AS CONFIGURED";
inline constexpr const char* kUnreadable = "UNREADABLE";

std::string text_of(SweepRunState state);

enum class SweepUnit { time_ps, count, share, busbw_GBps, ratio, bits_per_s };

struct SweepColumn {
  std::string name;
  SweepUnit unit;
};

struct SweepCell {
  double value = 0;
  double of = 0;             // share: its total
  bool finished = true;      // false: a collective that `value` of `of` ranks have finished
  bool at_least = false;     // a lower bound: the end of the run cut off more
  u64 ended = 0, begun = 0;  // a mean: over `ended` of `begun`; equal, or both 0: over all

  bool is_part() const { return ended != begun; }
};

struct SweepRow {
  SweepEntry run;
  std::string status;
  bool as_configured = true;                             // false: the result has another configuration than the row
  bool has_result = false;                               // there is a result of its configuration
  bool counts = false;                                   // has_result, and the run is complete or reached its horizon
  std::vector<std::optional<SweepCell>> outcome, busbw;  // [column]
  std::optional<RunSummary> result;                      // the whole result; none: the status says why
  std::string problem;  // why the result is unreadable or not as configured; may be empty
};

struct SweepRows {
  std::vector<SweepColumn> outcome, busbw;  // columns of two tables; empty ones are left out
  std::vector<SweepRow> rows;
  std::string deciding, beside;  // keys of SweepResult, over all runs
  std::string unreadable;        // the unreadable results, and why, a line each
};

/// Reads the result files one after the other.
SweepRows read_rows(const SweepFolder& sweep);

}  // namespace heddle
