// The commands that simulate nothing.
#include "host/cli/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "host/build.hpp"
#include "host/check/cut_text.hpp"
#include "host/check/report.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/setup_watch.hpp"
#include "host/cli/sweep_report.hpp"
#include "host/cli/tell.hpp"
#include "host/error.hpp"
#include "host/stage.hpp"
#include "io/checkpoint/describe.hpp"
#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/report.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {

int command_check(const CheckArguments& arguments) {
  const std::string& config_path = arguments.config_path;
  const Config config = load_config(config_path, arguments.sets);
  std::optional<SetupWatch> watch(std::in_place, false);
  const World world = build_world(config);
  check_output_budget(config.output, world);
  begin_stage("what can be said about it");
  const CheckReport report = check_world(world);
  watch.reset();
  fmt::print("{}", report.text);
  for (const std::string& warning : report.warnings) fmt::print("\nwarning: {}\n", warning);
  for (const std::string& refusal : report.refusals) tell(stderr, "\nerror: {}: {}\n", config_path, refusal);
  if (!report.refusals.empty()) return kExitBadInput;
  if (arguments.ranks != 0) {
    const std::string& policy = arguments.partition.empty() ? config.partition.policy : arguments.partition;
    fmt::print("{}", cut_text(world, cut_world(world, policy, arguments.ranks)));
  }
  fmt::print("\n{} can be run\n", printable(config_path));
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

int command_compare(const std::vector<std::string>& paths, bool every_run) {
  std::error_code error;
  if (paths.size() == 1 && std::filesystem::is_directory(paths[0], error)) {
    const SweepReport report = report_sweep(paths[0], every_run);
    fmt::print("{}", report.text);
    if (report.missing.empty()) return kExitComplete;
    tell(stderr, "{}: not every run has a result of its configuration\n{}", paths[0], report.missing);
    return kExitNotComplete;
  }
  if (paths.size() == 1 && error) {
    throw InputError(
        fmt::format("cannot read '{}': {}; compare takes the folder of a sweep, or two or more result files", paths[0],
                    error == std::errc::no_such_file_or_directory ? "no such file or folder" : error.message()));
  }
  if (every_run)
    throw ConfigError("--every-run: result files are compared one by one anyway; give it with the folder of a sweep");
  fmt::print("{}", compare_runs(paths));
  return kExitComplete;
}

}  // namespace heddle
