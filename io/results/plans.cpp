#include "io/results/plans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/text_table.hpp"

namespace heddle {

std::vector<PlanRow> read_plans(const InputFile& file) {
  if (!file.has("/plan")) return {};
  const std::vector<i64> measured = file.signed_numbers("/plan/measured_ps"),
                         from = file.signed_numbers("/plan/from_ps");
  std::vector<PlanRow> plans;
  for (size_t i = 0; i < measured.size(); ++i) plans.push_back({measured[i], from[i]});
  return plans;
}

PlanDelays plan_delays(std::span<const PlanRow> plans) {
  std::vector<TimePs> delays_ps;
  for (const PlanRow& plan : plans) {
    if (plan.from_ps >= 0) delays_ps.push_back(plan.from_ps - plan.measured_ps);
  }
  std::ranges::sort(delays_ps);
  PlanDelays of{.plans = plans.size(), .in_force = delays_ps.size()};
  if (delays_ps.empty()) return of;
  of.least_ps = delays_ps.front();
  of.median_ps = delays_ps[delays_ps.size() / 2];
  of.most_ps = delays_ps.back();
  return of;
}

std::string plan_summary(std::span<const PlanRow> plans) {
  if (plans.empty()) return "";
  const PlanDelays of = plan_delays(plans);
  if (of.in_force == 0)
    return fmt::format("\ncontroller none of {} plans came into force: routes stayed as they were without one\n",
                       of.plans);
  return fmt::format(
      "\ncontroller {} of {} plans came into force, {} to {} (median {}) after they were measured; {} did not, as a "
      "later one did or the run was over\n",
      of.in_force, of.plans, human_time(of.least_ps), human_time(of.most_ps), human_time(of.median_ps),
      of.plans - of.in_force);
}

}  // namespace heddle
