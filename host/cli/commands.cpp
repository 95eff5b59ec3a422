// The commands that simulate nothing.
#include "host/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "host/build.hpp"
#include "host/check/cut_text.hpp"
#include "host/check/report.hpp"
#include "host/check/run_time.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/sweep_report.hpp"
#include "host/error.hpp"
#include "io/checkpoint/describe.hpp"
#include "io/error.hpp"
#include "io/results/report.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {
namespace {

/// The configuration may be meant for a larger machine.
void warn_of_memory(const World& world, const MemoryBudget& budget) {
  try {
    check_memory(world, counts_of(world), budget);
  } catch (const ConfigError& refusal) {
    fmt::print("\nwarning: heddle run would refuse it here: {}\n", refusal.what());
  }
}

void print_run_time(const World& world) {
  constexpr double kTrialCpuSeconds = 0.7;
  const Cost cost = estimate_cost(world);
  const Calibration calibration = calibrate(world, cost, kTrialCpuSeconds);
  fmt::print("{}", run_time_text(expected_run_time(world, cost, calibration), calibration));
}

}  // namespace

int command_check(const CheckArguments& arguments) {
  const std::string& config_path = arguments.config_path;
  const Config config = load_config(config_path, arguments.sets);
  MemoryBudget budget = default_memory_budget(1, 0);
  const World world = build_world(config, budget);
  check_output_budget(config.output, world);
  const CheckReport report = check_world(world);
  fmt::print("{}", report.text);
  if (report.refusals.empty()) print_run_time(world);
  for (const std::string& warning : report.warnings) fmt::print("\nwarning: {}\n", warning);
  for (const std::string& refusal : report.refusals) fmt::print(stderr, "\nerror: {}: {}\n", config_path, refusal);
  if (!report.refusals.empty()) return kExitBadInput;
  budget.ranks = std::max(arguments.ranks, 1u);
  warn_of_memory(world, budget);
  if (arguments.ranks != 0) {
    const std::string& policy = arguments.partition.empty() ? config.partition.policy : arguments.partition;
    fmt::print("{}", cut_text(world, cut_world(world, policy, arguments.ranks)));
  }
  fmt::print("\n{} can be run\n", config_path);
  return kExitComplete;
}

int command_config(const std::string& config_path, const std::vector<std::string>& sets, bool reference) {
  if (reference) {
    fmt::print("{}", reference_text());
  } else if (config_path.empty()) {
    throw ConfigError("config: give a configuration file to print it with every default, or --reference");
  } else {
    fmt::print("{}", resolved_text(load_config(config_path, sets)));
  }
  return kExitComplete;
}

int command_info(const std::string& path) {
  fmt::print("{}", is_checkpoint(path) ? describe_checkpoint(path) : describe_run(path));
  return kExitComplete;
}

int command_compare(const std::vector<std::string>& paths) {
  if (paths.size() == 1 && std::filesystem::is_directory(paths[0])) {
    const SweepReport report = report_sweep(paths[0]);
    fmt::print("{}", report.text);
    if (report.missing.empty()) return kExitComplete;
    fmt::print(stderr, "{}: not every run has a result of its configuration\n{}", paths[0], report.missing);
    return kExitNotComplete;
  }
  if (paths.size() == 1 && !std::filesystem::exists(paths[0])) {
    throw InputError(
        fmt::format("cannot read '{}': no such file or folder; compare takes the folder of a sweep, or two "
                    "or more result files",
                    paths[0]));
  }
  fmt::print("{}", compare_runs(paths));
  return kExitComplete;
}

}  // namespace heddle
