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

std::string plan_summary(std::span<const PlanRow> plans) {
  if (plans.empty()) return "";
  std::vector<TimePs> delays_ps;
  for (const PlanRow& plan : plans) {
    if (plan.from_ps >= 0) delays_ps.push_back(plan.from_ps - plan.measured_ps);
  }
  const size_t never = plans.size() - delays_ps.size();
  if (delays_ps.empty())
    return fmt::format("\ncontroller none of {} plans came into force: routes stayed as they were without one\n",
                       plans.size());
  std::ranges::sort(delays_ps);
  return fmt::format(
      "\ncontroller {} of {} plans came into force, {} to {} (median {}) after they were measured; {} did not, as a "
      "later one did or the run was over\n",
      delays_ps.size(), plans.size(), human_time(delays_ps.front()), human_time(delays_ps.back()),
      human_time(delays_ps[delays_ps.size() / 2]), never);
}

}  // namespace heddle
