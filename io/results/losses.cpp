#include "io/results/losses.hpp"

#include <fmt/format.h>

#include "kernels/outcome/outcome.hpp"

namespace heddle {

std::vector<std::string> configuration_errors(const Totals& totals) {
  const u64 overruns = totals.drops[static_cast<u32>(DropCause::headroom_overrun)];
  const u64 overflows = totals.drops[static_cast<u32>(DropCause::pool_overflow)];
  const u64 watchdog = totals.drops[static_cast<u32>(DropCause::watchdog)];
  std::vector<std::string> errors;
  if (overruns > 0) {
    errors.push_back(
        fmt::format("error of the configuration: {} packets of lossless classes were lost because the PFC headroom is "
                    "too small; `heddle check` prints what each link needs",
                    overruns));
  }
  if (overflows > 0) {
    errors.push_back(
        fmt::format("error of the configuration: {} packets were lost because a shared buffer was full; lower alpha or "
                    "the headrooms, or enlarge buffer.*.bytes",
                    overflows));
  }
  if (watchdog > 0) {
    errors.push_back(
        fmt::format("{} packets of lossless classes were dropped by the PFC watchdog: their queues had been paused for "
                    "longer than pfc.watchdog; /event/drop says where",
                    watchdog));
  }
  return errors;
}

}  // namespace heddle
