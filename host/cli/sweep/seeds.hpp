// Runs of a sweep that differ in simulation.seed alone, taken together.
#pragma once

#include <string>
#include <vector>

#include "host/cli/mean_interval.hpp"
#include "host/cli/sweep/rows.hpp"

namespace heddle {

struct SeedGroup {
  std::vector<std::string> values;  // values of the axes without the seed
  std::string status;               // "complete", "3 complete, 1 MISSING"
  std::vector<const SweepRow*> rows;
  std::size_t counted = 0;  // rows in the means: SweepRow::counts
};

/// The groups in the order of their first runs. `seed`: the index of simulation.seed among the axes.
std::vector<SeedGroup> groups_over(const std::vector<SweepRow>& rows, std::size_t seed);

/// The mean over the rows of a group that count and have this cell, of a finished collective.
MeanInterval mean_of(const SeedGroup& group, std::vector<std::optional<SweepCell>> SweepRow::*cells,
                     std::size_t column);

}  // namespace heddle
