// The links of several runs, as `heddle compare` shows them.
#pragma once

#include <span>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// Adds to the outcome table: the busiest link, the link paused longest, the largest queue of one link of each kind,
/// and the largest queue of all links with its place.
void link_rows(std::span<const RunSummary> runs, TextTable& table);

}  // namespace heddle
