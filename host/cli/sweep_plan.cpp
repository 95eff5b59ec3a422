#include "host/cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <thread>

#include "host/build.hpp"
#include "host/check/cost.hpp"
#include "host/check/report.hpp"
#include "host/cli/device.hpp"
#include "host/cli/memory.hpp"
#include "host/config/config.hpp"
#include "host/config/units.hpp"
#include "host/error.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

constexpr u64 kRoomForQueues = 2;  // times what a run needs without queued packets

std::string size_text(u64 bytes) { return human_quantity(static_cast<double>(bytes), Quantity::bytes); }

u64 bytes_of(const Config& config) {
  const World world = build_world(config);
  if (!refusals_of(world).empty()) return 0;
  const Cost cost = estimate_cost(world);
  return cost.program_bytes + cost.memory.table_bytes() + cost.memory.state_bytes() + cost.in_flight_bytes;
}

/// The most that one of the runs needs, without queued packets.
u64 most_needed_bytes(const std::vector<SweepEntry>& runs) {
  std::set<std::string> seen;
  u64 most = 0;
  for (const SweepEntry& run : runs) {
    try {
      const Config config = load_config(run.config_path);
      Config world = config;  // what decides about it
      world.simulation.seed = 0;
      world.output = {};
      if (seen.insert(resolved_text(world)).second) most = std::max(most, bytes_of(config));
    } catch (const ConfigError&) {  // the run says it in its turn
    } catch (const IoError&) {
    }
  }
  return most;
}

void refuse_too_many(u32 jobs, u64 each_bytes, u64 most_bytes, const std::string& what) {
  if (jobs <= 1 || each_bytes <= most_bytes / jobs) return;
  throw ConfigError(fmt::format(
      "--jobs {}: {} runs with {} each {} do not fit into the {} that may be used here (80 % of the machine's or the "
      "control group's memory); give --jobs {} or fewer",
      jobs, jobs, size_text(each_bytes), what, size_text(most_bytes), std::max<u64>(most_bytes / each_bytes, 1)));
}

SweepPlan on_gpu(const SweepRunArguments& arguments) {
  if (arguments.jobs.value_or(1) > 1) {
    throw ConfigError(fmt::format(
        "--jobs {}: runs on a GPU go one at a time, as each takes half of its free memory; leave --jobs out, or give "
        "--device cpu",
        *arguments.jobs));
  }
  SweepPlan plan{1, {"--device", "gpu"}, "one at a time on the GPU"};
  if (!arguments.memory.empty()) plan.options.insert(plan.options.end(), {"--memory", arguments.memory});
  return plan;
}

}  // namespace

u32 jobs_that_fit(u64 each_bytes, u64 most_bytes, u32 cores) {
  const u64 fit = each_bytes == 0 ? cores : most_bytes / each_bytes;
  return static_cast<u32>(std::clamp<u64>(fit, 1, std::max(cores, 1u)));
}

SweepPlan plan_of(const std::vector<SweepEntry>& runs, const SweepRunArguments& arguments) {
  if (choose_device(arguments.device, arguments.threads.has_value()) == Device::gpu) return on_gpu(arguments);
  const u32 threads = arguments.threads.value_or(1), cores = std::max(std::thread::hardware_concurrency(), 1u);
  const u32 most_jobs = static_cast<u32>(std::max<std::size_t>(runs.size(), 1));
  const u64 most_bytes = default_memory_bytes(), need_bytes = most_needed_bytes(runs);
  const u64 given_bytes = arguments.memory.empty() ? 0 : memory_of(arguments.memory);
  SweepPlan plan;
  plan.jobs = std::min(arguments.jobs.value_or(jobs_that_fit(
                           given_bytes != 0 ? given_bytes : kRoomForQueues * need_bytes, most_bytes, cores / threads)),
                       most_jobs);
  if (given_bytes != 0) refuse_too_many(plan.jobs, given_bytes, most_bytes, "(--memory)");
  refuse_too_many(plan.jobs, need_bytes, most_bytes, "for the largest, without queued packets,");
  const u64 each_bytes = given_bytes != 0 ? given_bytes : most_bytes / plan.jobs;
  plan.options = {"--device", "cpu", "--memory", std::to_string(each_bytes)};
  if (arguments.threads) plan.options.insert(plan.options.end(), {"--threads", std::to_string(threads)});
  plan.text = fmt::format("{} at a time, each with at most {}", plan.jobs, size_text(each_bytes));
  if (u64{plan.jobs} * threads > cores) {
    fmt::print(stderr, "warning: {} runs of {} thread{} on {} core{} will wait for each other\n", plan.jobs, threads,
               threads == 1 ? "" : "s", cores, cores == 1 ? "" : "s");
  }
  return plan;
}

}  // namespace heddle
