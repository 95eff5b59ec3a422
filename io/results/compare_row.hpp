// A row of a table that compares runs: what each says, and the ratio to the first.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// What a run says. The ratio of its `value` to the first run's is shown where that is above 0 and this is not below
/// it.
struct Shown {
  std::string text = "-";
  double value = 0;
};

void add_row(TextTable& table, const std::string& name, std::span<const RunSummary> runs,
             const std::function<Shown(const RunSummary&)>& get);

/// Returns "-" for -1 (never).
Shown shown_time(TimePs time_ps);
Shown shown_rate(double bits_per_s);

}  // namespace heddle
