// Plans of a controller whose reports and routes travel over a network (MODEL.md, 7.8), as reports show them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/results/input_file.hpp"
#include "kernels/base/units.hpp"

namespace heddle {

/// A row of /plan.
struct PlanRow {
  TimePs measured_ps = 0;
  TimePs from_ps = -1;  // when it came into force; -1: it did not
};

/// Returns the rows of /plan; empty when no plans travelled, or an earlier version wrote the file.
std::vector<PlanRow> read_plans(const InputFile& file);

/// How long after they were measured those came into force that did.
struct PlanDelays {
  u64 plans = 0, in_force = 0;
  TimePs least_ps = -1, median_ps = -1, most_ps = -1;  // -1: none came into force
};
PlanDelays plan_delays(std::span<const PlanRow> plans);

/// How many came into force, and how long after they were measured; "" without plans.
std::string plan_summary(std::span<const PlanRow> plans);

}  // namespace heddle
