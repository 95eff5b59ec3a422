// The runs of a sweep as numbers, one row each: what the report prints, one by one or over seeds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/sweep/folder.hpp"
#include "io/results/reader.hpp"

namespace heddle {

/// The status of a result that belongs to another configuration ends so.
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
  double of = 0;             // share: of how many
  bool finished = true;      // false: a collective that `value` of `of` ranks have finished
  bool at_least = false;     // a lower bound: what the end of the run cut off can raise it
  u64 ended = 0, begun = 0;  // of a mean: over so many of so many; the same, or both 0: over all

  bool is_part() const { return ended != begun; }
};

struct SweepRow {
  SweepEntry run;
  std::string status;
  bool as_configured = true;  // false: the result is of another configuration than the row says
  bool has_result = false;    // of its configuration
  bool counts = false;        // has_result, and the run did all that was asked: complete, or the horizon reached
  std::vector<std::optional<SweepCell>> outcome, busbw;  // [column]
  std::optional<RunSummary> result;                      // all of it; none: the status says why
  std::string problem;                                   // why it cannot be read or is not as configured; may be empty
};

struct SweepRows {
  std::vector<SweepColumn> outcome, busbw;  // columns of two tables; those that no row has anything in are left out
  std::vector<SweepRow> rows;
  std::string deciding, beside;  // keys of SweepResult, over all runs
  std::string unreadable;        // which results are, and why, a line each
};

/// Reads the result files one after the other.
SweepRows read_rows(const SweepFolder& sweep);

}  // namespace heddle
