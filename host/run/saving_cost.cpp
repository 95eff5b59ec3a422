#include "host/run/saving_cost.hpp"
#include "host/config/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/units.hpp"

namespace heddle {

std::string saving_warning(const SavingCost& cost, const CheckpointOptions& options) {
  constexpr double kMaxPart = 0.1, kPatience_s = 1;
  if (cost.saving_s < kPatience_s || cost.saving_s <= kMaxPart * cost.wall_s) return "";
  std::string advice;
  const auto advise = [&](const char* key, TimePs now_ps, TimePs min_ps) {
    advice += fmt::format("{}checkpoint.{} to \"{}\" or more (it is \"{}\")", advice.empty() ? "" : " and ", key,
                          format_quantity(min_ps, Quantity::time_ps), format_quantity(now_ps, Quantity::time_ps));
  };
  // the rest of the time has to be nine times that of saving
  const double per_rest = (1 - kMaxPart) / kMaxPart;
  if (options.every_ps > 0) {
    const double rest_s = std::max(cost.wall_s - cost.saving_s, 1e-3 * cost.saving_s);
    const auto fewer = static_cast<TimePs>(std::ceil(per_rest * cost.saving_s / rest_s));
    advise("every", options.every_ps, options.every_ps > kNever / fewer ? kNever : options.every_ps * fewer);
  }
  if (options.every_wall_ps > 0) {
    // from the end of one save to the beginning of the next
    const double one_s = cost.saving_s / static_cast<double>(std::max<u64>(cost.saves, 1));
    advise("every_wall", options.every_wall_ps, static_cast<TimePs>(std::ceil(per_rest * one_s)) * 1'000'000'000'000);
  }
  if (advice.empty()) return "";  // saves were requested one by one
  return fmt::format("{} checkpoint{} took {:.0f} % of the time so far ({:.1f} of {:.1f} s); set {}", cost.saves,
                     cost.saves == 1 ? "" : "s", 100 * cost.saving_s / cost.wall_s, cost.saving_s, cost.wall_s, advice);
}

}  // namespace heddle
