#include "host/cli/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/check/estimates/cost.hpp"
#include "host/check/report.hpp"
#include "host/cli/cores.hpp"
#include "host/cli/device.hpp"
#include "host/cli/memory.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

constexpr u64 kRoomForQueues = 2;  // times what a run needs without queued packets

/// The World of a configuration; none where it cannot be built, which the run itself reports.
std::optional<World> world_of(const Config& config) {
  try {
    World world = build_world(config);
    if (refusals_of(world).empty()) return world;
  } catch (const ConfigError&) {
  } catch (const IoError&) {
  }
  return std::nullopt;
}

std::optional<Config> config_of(const std::string& path) {
  try {
    return load_config(path);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// The largest memory need of the runs, without queued packets. Throws ConfigError when one exceeds the budget.
u64 max_needed_bytes(const std::vector<SweepEntry>& runs, const MemoryBudget& budget) {
  std::set<std::string> seen;
  u64 most = 0;
  for (const SweepEntry& run : runs) {
    const std::optional<Config> config = config_of(run.config_path);
    if (!config) continue;
    Config deciding = *config;  // the keys that decide the World
    deciding.simulation.seed = 0;
    deciding.output = {};
    if (!seen.insert(resolved_text(deciding)).second) continue;
    const std::optional<World> world = world_of(*config);
    if (!world) continue;
    try {
      const Cost cost = estimate_cost(*world);
      check_memory(*world, cost.memory, budget);
      most = std::max(most, needed_bytes(cost));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", run.config_path, error.what()));
    }
  }
  return most;
}

void refuse_too_many(u32 jobs, u64 each_bytes, u64 max_bytes, const std::string& what) {
  if (jobs <= 1 || each_bytes <= max_bytes / jobs) return;
  throw ConfigError(fmt::format(
      "--jobs {}: {} runs with {} each {} do not fit into the {} that may be used here (80 % of the machine's or the "
      "control group's memory); give --jobs {} or fewer",
      jobs, jobs, bytes_text(each_bytes), what, bytes_text(max_bytes), std::max<u64>(max_bytes / each_bytes, 1)));
}

SweepPlan on_gpu(const SweepRunArguments& arguments) {
  if (arguments.jobs.value_or(1) > 1) {
    throw ConfigError(fmt::format(
        "--jobs {}: runs on a GPU go one at a time, as each takes half of its free memory; leave --jobs out, or give "
        "--device cpu",
        *arguments.jobs));
  }
  SweepPlan plan{1, {"--device", "gpu"}, "one at a time on the GPU", ""};
  if (!arguments.memory.empty()) plan.options.insert(plan.options.end(), {"--memory", arguments.memory});
  return plan;
}

}  // namespace

u32 jobs_that_fit(u64 each_bytes, u64 max_bytes, u32 cores) {
  const u64 fit = each_bytes == 0 ? cores : max_bytes / each_bytes;
  return static_cast<u32>(std::clamp<u64>(fit, 1, std::max(cores, 1u)));
}

u64 needed_bytes(const Cost& cost) { return peak_bytes(cost.memory, cost.memory.state_bytes() + cost.in_flight_bytes); }

MemoryBudget budget_of(const SweepRunArguments& arguments) {
  const Device device = choose_device(arguments.device, arguments.threads.has_value());
  if (arguments.memory.empty()) return {};
  const u64 bytes = memory_of(arguments.memory);
  if (device == Device::gpu) return {};
  return {bytes, "--memory " + arguments.memory, 1};
}

SweepPlan plan_of(const std::vector<SweepEntry>& runs, const SweepRunArguments& arguments) {
  return plan_for(max_needed_bytes(runs, budget_of(arguments)), runs.size(), arguments);
}

SweepPlan plan_for(u64 need_bytes, std::size_t runs, const SweepRunArguments& arguments) {
  if (choose_device(arguments.device, arguments.threads.has_value()) == Device::gpu) return on_gpu(arguments);
  const u32 cores = usable_cores(cores_of_process());
  const u32 max_jobs = static_cast<u32>(std::max<std::size_t>(runs, 1));
  const u64 max_bytes = default_memory_bytes();
  const u64 given_bytes = arguments.memory.empty() ? 0 : memory_of(arguments.memory);
  SweepPlan plan;
  plan.jobs =
      std::min(arguments.jobs.value_or(jobs_that_fit(given_bytes != 0 ? given_bytes : kRoomForQueues * need_bytes,
                                                     max_bytes, cores / arguments.threads.value_or(1))),
               max_jobs);
  if (given_bytes != 0) refuse_too_many(plan.jobs, given_bytes, max_bytes, "(--memory)");
  refuse_too_many(plan.jobs, need_bytes, max_bytes, "for the largest, without queued packets,");
  const u64 each_bytes = given_bytes != 0 ? given_bytes : max_bytes / plan.jobs;
  const u32 threads = arguments.threads.value_or(default_threads(cores / plan.jobs, UINT64_MAX));
  plan.options = {"--device", "cpu", "--memory", std::to_string(each_bytes), "--threads", std::to_string(threads)};
  plan.text = fmt::format("{} at a time, each with {}at most {}", plan.jobs,
                          threads == 1 ? "" : fmt::format("{} threads and ", threads), bytes_text(each_bytes));
  if (u64{plan.jobs} * threads > cores) {
    plan.warning = fmt::format("{} runs of {} thread{} on {} core{} will wait for each other", plan.jobs, threads,
                               threads == 1 ? "" : "s", cores, cores == 1 ? "" : "s");
  }
  return plan;
}

}  // namespace heddle
