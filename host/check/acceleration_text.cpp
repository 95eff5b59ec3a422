#include "host/check/acceleration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/acceleration/coarse_choice.hpp"
#include "host/acceleration/coarsen.hpp"
#include "host/check/cost.hpp"
#include "host/config/quantity_text.hpp"
#include "partition/cut/apart.hpp"

namespace heddle {
namespace {

std::string exact_text(const World& world, bool automatic) {
  const Components components = components_of(world);
  if (components.count < 2) return "";
  const std::vector<u32>& endpoints = components.endpoints;
  return fmt::format(
      "\nexact      {} parts of the workload touch nothing in common (the largest has {} of {} endpoints): {}on "
      "CPUs, what repeats itself in one is skipped whatever the others do{}\n",
      components.count, *std::ranges::max_element(endpoints), std::accumulate(endpoints.begin(), endpoints.end(), 0u),
      automatic ? "with acceleration.mode = \"exact\", " : "",
      components.count > kMostApart ? fmt::format(", in {} groups of them", kMostApart) : "");
}

}  // namespace

std::string acceleration_text(const Config& config, const World& world) {
  const bool automatic = config.acceleration.automatic();
  if (automatic || config.acceleration.exact()) return exact_text(world, automatic);
  if (!config.acceleration.bounded()) return "";
  const u32 mtus = choose_coarse(world, config.acceleration, config.path);
  const auto hops_with = [&](u32 k) { return estimate_cost(coarsened(world, k)).packet_hops; };
  const double fine = estimate_cost(world).packet_hops, coarse = hops_with(mtus) + hops_with(2 * mtus);
  return fmt::format(
      "\nbounded    packets of {} MTUs, and of {} in a second run: about {:.1f} times fewer packet-hops in both "
      "together (most bytes travel in messages of {} packets); each costs 2 to 4 times as much, so sparse traffic "
      "gains "
      "no time\n",
      mtus, 2 * mtus, fine / coarse, dominant_message(world).packets);
}

std::string window_text(const Config& config, const World& world) {
  // Of so many GPUs nobody simulates a step, which takes seconds, as a whole (tests/bench/PERFORMANCE.md).
  constexpr u32 kManyEndpoints = 4096;
  constexpr TimePs kShortPs = 1'000'000'000;
  const bool trains = std::ranges::any_of(config.jobs, [](const JobOptions& job) { return job.training.present(); });
  const TimePs horizon_ps = world.clocks.horizon_ps;
  if (trains || world.fabric.endpoints < kManyEndpoints || horizon_ps > kShortPs) return "";
  return fmt::format(
      "\nwindow     simulation.horizon ends the run after {}: that shows which tier is short of bandwidth, how deep "
      "queues become and who is paused, but nothing that takes longer, such as large collectives or a step of "
      "training. How long a whole step takes: `heddle step configs/llama_405b.toml` says it from parts of the step\n",
      time_text(horizon_ps));
}

std::string parts_text(const Config& config, double cpu_s) {
  constexpr double kLongCpuSeconds = 600;
  const bool trains = config.jobs.size() == 1 && config.jobs[0].training.present();
  if (!trains || cpu_s < kLongCpuSeconds) return "";
  return "\nstep       `heddle step` says how long such a step is by simulating parts of it, with an interval; with "
         "--plan "
         "whether it has such parts, and what they cost\n";
}

}  // namespace heddle
