// Runs of a sweep that differ in simulation.seed alone, taken together.
#pragma once

#include <string>
#include <vector>

#include "host/cli/mean_interval.hpp"
#include "host/cli/sweep/rows.hpp"

namespace heddle {

struct SeedGroup {
  std::vector<std::string> values;  // of the axes but the seed
  std::string status;               // "complete", "3 complete, 1 MISSING"
  std::vector<const SweepRow*> rows;
  std::size_t counted = 0;  // rows that are in the means: SweepRow::counts
};

/// In the order of their first runs. `seed`: the place of simulation.seed among the axes.
std::vector<SeedGroup> groups_over(const std::vector<SweepRow>& rows, std::size_t seed);

/// Over the rows of a group that count and have this cell, of a collective that is finished.
MeanInterval mean_of(const SeedGroup& group, std::vector<std::optional<SweepCell>> SweepRow::*cells,
                     std::size_t column);

}  // namespace heddle
