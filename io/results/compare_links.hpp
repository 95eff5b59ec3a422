// The goodput of messages and the links of several runs, as `heddle compare` shows them.
#pragma once

#include <span>

#include "io/results/reader.hpp"
#include "io/results/text_table.hpp"

namespace heddle {

/// Rows of the outcome table: received bytes and goodput of explicit messages. None where no run has any.
void goodput_rows(std::span<const RunSummary> runs, TextTable& table);

/// Rows of the outcome table: the busiest link, the one paused longest, the largest queue of one link of each kind, and
/// the largest of all with its place.
void link_rows(std::span<const RunSummary> runs, TextTable& table);

}  // namespace heddle
