#include "host/cli/sweep/worlds.hpp"

#include <algorithm>

#include "host/base/error.hpp"
#include "host/check/estimates/cost.hpp"
#include "host/check/report.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/sweep/plan.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"

namespace heddle {

void SweepWorlds::check(const Config& config) {
  Config seedless = config;
  seedless.simulation.seed = 0;
  if (!checked_.insert(resolved_text(seedless)).second) return;
  const World world = build_world(config, budget_);
  check_output_budget(config.output, world);
  std::string text;
  for (const std::string& refusal : refusals_of(world)) text += (text.empty() ? "" : "\n") + refusal;
  if (!text.empty()) throw ConfigError(text);
  max_needed_bytes_ = std::max(max_needed_bytes_, needed_bytes(estimate_cost(world)));
}

}  // namespace heddle
