#include "io/results/compare_plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/compare_row.hpp"

namespace heddle {

void plan_rows(std::span<const RunSummary> runs, TextTable& table) {
  if (std::ranges::all_of(runs, [](const RunSummary& run) { return run.plans.empty(); })) return;
  add_row(table, "controller's plans in force", runs, [](const RunSummary& run) {
    const PlanDelays of = plan_delays(run.plans);
    return of.plans == 0 ? Shown{} : Shown{fmt::format("{} of {}", of.in_force, of.plans)};
  });
  add_row(table, "  median delay", runs,
          [](const RunSummary& run) { return shown_time(plan_delays(run.plans).median_ps); });
  add_row(table, "  longest delay", runs,
          [](const RunSummary& run) { return shown_time(plan_delays(run.plans).most_ps); });
}

}  // namespace heddle
