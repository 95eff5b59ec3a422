#include "host/cli/control_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/base/quantity_text.hpp"

namespace heddle {

std::string control_summary(std::span<const PlanTimes> plans) {
  if (plans.empty()) return "";
  std::vector<u64> delays_ps;
  for (const PlanTimes& plan : plans) {
    if (plan.from_ps != kNever) delays_ps.push_back(static_cast<u64>(plan.from_ps - plan.measured_ps));
  }
  const u64 never = plans.size() - delays_ps.size();
  if (delays_ps.empty())
    return fmt::format("\ncontroller none of {} plans came into force: routes stayed as they were without one\n",
                       plans.size());
  std::ranges::sort(delays_ps);
  return fmt::format(
      "\ncontroller {} of {} plans came into force, {} to {} (median {}) after they were measured; {} did not, as a "
      "later one did or the run was over\n",
      delays_ps.size(), plans.size(), time_text(delays_ps.front()), time_text(delays_ps.back()),
      time_text(delays_ps[delays_ps.size() / 2]), never);
}

}  // namespace heddle
