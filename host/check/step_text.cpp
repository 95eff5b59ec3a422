#include "host/check/step_text.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/units.hpp"

namespace heddle {

std::string window_text(const Config& config, const World& world) {
  // From this size on a step, which takes seconds, is not simulated as a whole (tests/bench/PERFORMANCE.md).
  constexpr u32 kManyEndpoints = 4096;
  constexpr TimePs kShortPs = 1'000'000'000;
  const bool trains = std::ranges::any_of(config.jobs, [](const JobOptions& job) { return job.training.present(); });
  const TimePs horizon_ps = world.clocks.horizon_ps;
  if (trains || world.fabric.endpoints < kManyEndpoints || horizon_ps > kShortPs) return "";
  return fmt::format(
      "\nwindow     simulation.horizon ends the run after {}: that shows which tier is short of bandwidth, how deep "
      "queues become and who is paused, but nothing that takes longer, such as large collectives or a step of "
      "training. How long a whole step takes: `heddle step configs/llama_405b.toml --set simulation.horizon=0 -o "
      "step` says it from parts of the step\n",
      human_quantity(static_cast<double>(horizon_ps), Quantity::time_ps));
}

std::string parts_text(const Config& config, double cpu_s) {
  constexpr double kLongCpuSeconds = 600;
  const bool trains = config.jobs.size() == 1 && config.jobs[0].training.present();
  if (!trains || cpu_s < kLongCpuSeconds) return "";
  return "\nstep       `heddle step` says how long such a step is by simulating parts of it, with an interval; with "
         "--plan whether it has such parts, and what they cost\n";
}

}  // namespace heddle
