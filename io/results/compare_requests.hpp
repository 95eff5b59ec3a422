// The requests of several runs, as `heddle compare` shows them.
#pragma once

#include <span>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// Adds to the outcome table, for each generator of requests: how many ended, median and 99 % of their times, and
/// rates. Adds no rows where no run has any requests.
void request_rows(std::span<const RunSummary> runs, TextTable& table);

}  // namespace heddle
