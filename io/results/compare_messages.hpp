// The explicit messages of several runs, as `heddle compare` shows them: those of checkpoints and of data apart from
// others.
#pragma once

#include <span>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// Adds to the outcome table: completion times, received bytes and goodput. Where a run has checkpoints or data, or
/// messages on several fabrics or in several classes, of each of these. Adds no rows where no run has any messages.
void message_rows(std::span<const RunSummary> runs, TextTable& table);

}  // namespace heddle
