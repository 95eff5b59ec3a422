// The plans of controllers in several runs, as `heddle compare` shows them.
#pragma once

#include <span>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// Adds to the outcome table how many plans came into force, and how long after they were measured. Adds no rows where
/// no run has any plans.
void plan_rows(std::span<const RunSummary> runs, TextTable& table);

}  // namespace heddle
