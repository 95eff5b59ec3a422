// `heddle run`: everything that can be refused is refused before anything is written.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "host/build.hpp"
#include "host/check/report.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/device.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/progress.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/signals.hpp"
#include "host/cli/summary.hpp"
#include "host/config/units.hpp"
#include "host/error.hpp"
#include "host/simulation.hpp"
#include "io/error.hpp"
#include "io/foreign/hpcc.hpp"
#include "io/results/losses.hpp"
#include "io/results/writer.hpp"

namespace heddle {
namespace {

std::string output_path_of(const RunArguments& arguments, const Config& config) {
  if (!arguments.output_path.empty()) return arguments.output_path;
  if (!config.output.file.empty()) return config.output.file;
  return std::filesystem::path(config.path).stem().string() + ".h5";
}

/// The text exports are small and written at the end: make sure now that they can be, and that no file of the run takes
/// another one's place.
void check_exports(const OutputOptions& output, const std::string& result_path, const std::string& config_path,
                   bool force) {
  struct Use {
    std::string path, what;
  };
  std::vector<Use> uses = {{config_path, "the configuration"}};
  for (const Use& use : {Use{result_path, "the result file"}, Use{output.fct_file, "output.fct_file"},
                         Use{output.pfc_file, "output.pfc_file"}}) {
    if (use.path.empty()) continue;
    for (const Use& other : uses) {
      if (std::filesystem::weakly_canonical(use.path) != std::filesystem::weakly_canonical(other.path)) continue;
      throw ConfigError(
          fmt::format("{} and {} are the same file, {}: one would overwrite the other; name them differently",
                      other.what, use.what, use.path));
    }
    uses.push_back(use);
  }
  if (!output.fct_file.empty()) check_writable(output.fct_file, force, "output.fct_file");
  if (!output.pfc_file.empty()) check_writable(output.pfc_file, force, "output.pfc_file");
}

void refuse_impossible(const Config& config, const World& world) {
  std::string text;
  for (const std::string& refusal : refusals_of(world))
    text += (text.empty() ? "" : "\n") + config.path + ": " + refusal;
  if (!text.empty()) throw ConfigError(text);
}

EngineOptions engine_options_of(const RunArguments& arguments) {
  EngineOptions options;
  options.device = choose_device(arguments.device, arguments.threads.has_value());
  options.threads = arguments.threads.value_or(1);
  options.check = arguments.check_invariants;
  if (!arguments.memory.empty()) {
    options.memory_limit_bytes = memory_of(arguments.memory);
  } else if (options.device == Device::cpu) {
    options.memory_limit_bytes = default_memory_bytes();  // a GPU looks at its own
  }
  return options;
}

SimulationResult simulate(const RunArguments& arguments, TimePs horizon_ps, Simulation& simulation,
                          ResultWriter& writer) {
  Progress progress(horizon_ps, arguments.quiet);
  const StopSignals signals;
  SimulationResult result = simulation.run(&writer, [&](TimePs now_ps, const Totals& totals) {
    progress.update(now_ps, totals.packet_hops);
    return !signals.stop_requested();
  });
  progress.finish();
  return result;
}

ResultSettings result_settings_of(const RunArguments& arguments, const Config& config, const World& world,
                                  const EngineOptions& options) {
  ResultSettings settings;
  settings.provenance = provenance_of(config, world, options, arguments.command_line);
  settings.config_toml = resolved_text(config);
  settings.link_series = config.output.link_series;
  settings.series_interval_ps = config.output.series_interval_ps;
  settings.pfc_events = config.output.pfc_events;
  settings.max_bytes = config.output.max_bytes;
  settings.overwrite = arguments.force;
  return settings;
}

void print_summary(const World& world, const SimulationResult& result, const std::string& status,
                   const std::string& path) {
  fmt::print("{}{}{}{}results    {}\n", collective_table(world, result.outcome), message_summary(world, result.outcome),
             totals_summary(result.outcome.totals), end_summary(result.outcome, status, result.perf), path);
  std::fflush(stdout);  // what went wrong comes last, also where both streams go to one log
  for (const std::string& error : configuration_errors(result.outcome.totals)) fmt::print(stderr, "\n{}\n", error);
}

void write_exports(const OutputOptions& output, const World& world, const SimulationResult& result) {
  if (!output.fct_file.empty()) write_hpcc_fct(output.fct_file, world, result.outcome);
  if (!output.pfc_file.empty()) write_hpcc_pfc(output.pfc_file, world, result.pfc_events);
}

std::string status_of(const SimulationResult& result) {
  if (result.interrupted) return "interrupted";
  return result.output_full ? "output_full" : std::string(status_name(result.outcome.reason));
}

/// The budget of the file is not the engine's: here its end is explained.
void explain_full_output(const OutputOptions& output, Outcome& outcome) {
  outcome.explanation = fmt::format(
      "the result file has reached output.max_bytes = {}, so the run was ended; lengthen output.series_interval{}, "
      "switch output.pfc_events or output.drop_events off, or raise output.max_bytes",
      format_quantity(static_cast<i64>(output.max_bytes), Quantity::bytes),
      output.link_series ? ", switch output.link_series off" : "");
}

int exit_code_of(const SimulationResult& result) {
  if (result.interrupted || result.output_full) return kExitNotComplete;
  switch (result.outcome.reason) {
    case EndReason::complete:
    case EndReason::horizon:
      return kExitComplete;
    case EndReason::stalled:
    case EndReason::deadlock:
    case EndReason::qp_failed:
      return kExitNotComplete;
    case EndReason::error:
      return kExitInternalError;
  }
  return kExitInternalError;
}

}  // namespace

int command_run(const RunArguments& arguments) {
  const Config config = load_config(arguments.config_path, arguments.sets);
  const std::string path = output_path_of(arguments, config);
  check_exports(config.output, path, config.path, arguments.force);
  check_writable(path, arguments.force);
  const World world = build_world(config);
  refuse_impossible(config, world);
  for (const std::string& warning : warnings_of(world)) fmt::print(stderr, "warning: {}\n", warning);
  check_output_budget(config.output, world);
  const EngineOptions options = engine_options_of(arguments);
  Simulation simulation(world, options, config.output);
  ResultWriter writer(path, world, result_settings_of(arguments, config, world, options));

  // from here on a file has been begun: what fails is no longer bad input
  try {
    SimulationResult result = simulate(arguments, world.clocks.horizon_ps, simulation, writer);
    if (result.output_full) explain_full_output(config.output, result.outcome);
    const std::string status = status_of(result);
    writer.finish(result.outcome, result.perf, status);
    write_exports(config.output, world, result);
    print_summary(world, result, status, path);
    return exit_code_of(result);
  } catch (const CapacityError& error) {
    fmt::print(stderr, "error: {}\nwhat was written before is in {}\n", error.what(), writer.part_path());
    return kExitInternalError;
  } catch (const OutputError& error) {
    fmt::print(stderr, "error: {}\nwhat was written before is in {}\n", error.what(), writer.part_path());
    return kExitInternalError;
  }
}

}  // namespace heddle
