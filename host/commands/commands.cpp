// The commands that simulate nothing.
#include "host/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "host/base/error.hpp"
#include "host/base/stage.hpp"
#include "host/check/collective_text.hpp"
#include "host/check/cut_text.hpp"
#include "host/check/expense.hpp"
#include "host/check/output_text.hpp"
#include "host/check/report.hpp"
#include "host/check/slurm_text.hpp"
#include "host/check/step_text.hpp"
#include "host/check/warnings/imported_buffers.hpp"
#include "host/check/warnings/unused_keys.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/fabric_picture.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/output_place.hpp"
#include "host/cli/resident.hpp"
#include "host/cli/setup_watch.hpp"
#include "host/cli/tell.hpp"
#include "host/commands/picture.hpp"
#include "host/config/config.hpp"
#include "host/config/source.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/memory/input_memory.hpp"
#include "io/checkpoint/describe.hpp"
#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/output_path.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {
namespace {

/// The configuration may be meant for a larger machine. Returns whether it fits.
bool warn_of_memory(const World& world, const MemoryNeed& need, const MemoryBudget& budget) {
  try {
    check_memory(world, need, budget);
    return true;
  } catch (const ConfigError& refusal) {
    fmt::print("\nwarning: heddle run would refuse it here: {}\n", refusal.what());
    return false;
  }
}

/// Warns where the files cannot be written here. Existing files that --force replaces are no problem.
bool warn_of_places(const Config& config) {
  const std::string path = output_path_of({}, config);
  std::string why;
  try {
    check_names(config, path);
    check_writable(path, true);
    check_exports(placed_output(config), true);
    return true;
  } catch (const ConfigError& refusal) {
    why = refusal.what();
  } catch (const IoError& refusal) {
    why = refusal.what();
  }
  fmt::print("\nwarning: heddle run would refuse it here: {}\n", printable(why));
  return false;
}

int check_one(const std::string& config_path, const CheckArguments& arguments) {
  const bool draws = !arguments.draw_path.empty();
  if (draws) check_picture_place(arguments.draw_path);
  const u64 before_bytes = max_resident_bytes();
  const Config config = load_config(config_path, arguments.sets);
  std::optional<SetupWatch> watch(std::in_place, false);
  MemoryBudget budget = default_memory_budget(1, 0);
  std::vector<std::string> notes;
  const World world = build_world(config, budget, &notes);
  const u64 max_bytes = max_resident_bytes();
  // with several configurations the peak may be that of an earlier one
  constexpr u64 kOfRun = 8'000'000;  // a run has files and libraries open that a check has not
  const u64 making_bytes = max_bytes > before_bytes ? max_bytes + kOfRun : kProgramBytes + input_memory(config).bytes;
  give_back_free_memory();  // memory used by this check
  check_output_budget(config.output, world);
  if (draws) {
    const std::string title = picture_title(config_path, config.fabric.topology);
    write_picture(arguments.draw_path, fabric_picture(config, title, world.fabric));
  }
  begin_stage("what can be said about it");
  CheckReport report = check_world(world, config.jobs);
  watch.reset();
  fmt::print("{}{}", host_text(config), report.text);
  if (draws) fmt::print("picture    {} shows the fabric\n", printable_name(arguments.draw_path));
  Expense expense;
  if (report.refusals.empty()) {
    constexpr double kTrialCpuSeconds = 0.7;
    expense = expense_of(world, kTrialCpuSeconds, making_bytes);
    const RunTime& time = expense.time;
    const TimePs simulated_ps = time.known() ? time.simulated_ps : 0;
    fmt::print("{}{}", expense.text, output_text(world, config.output, simulated_ps, time.simulated != Sure::exactly));
    if (arguments.ranks == 0) fmt::print("{}", slurm_text(1, expense.peak_bytes, time.known() ? time.cpu_s : 0));
    fmt::print("{}{}", parts_text(config, time.cpu_s), window_text(config, world));
    report.warnings.insert(report.warnings.begin(), expense.warnings.begin(), expense.warnings.end());
  }
  for (std::string& warning : warnings_of_output(config.output, world)) report.warnings.push_back(std::move(warning));
  report.warnings.insert(report.warnings.begin(), notes.begin(), notes.end());
  if (const std::string note = about_imported_buffers(config, world); !note.empty()) fmt::print("\nnote: {}\n", note);
  for (std::string& warning : unused_keys(config, arguments.sets, world)) report.warnings.push_back(std::move(warning));
  for (const std::string& warning : report.warnings) fmt::print("\nwarning: {}\n", warning);
  std::fflush(stdout);
  for (const std::string& refusal : report.refusals) tell(stderr, "\nerror: {}: {}\n", config_path, refusal);
  if (!report.refusals.empty()) return kExitBadInput;
  budget.ranks = std::max(arguments.ranks, 1u);
  const bool fits = warn_of_memory(world, expense.memory, budget);
  const bool has_places = warn_of_places(config);
  if (arguments.ranks != 0) {
    const std::string& policy = arguments.partition.empty() ? config.partition.policy : arguments.partition;
    const Cut cut = cut_world(world, policy, arguments.ranks);
    fmt::print("{}{}", cut_text(world, cut), on_ranks_text(expense, cut, world.clocks.tick_ps));
  }
  fmt::print("\n{} can be run{}\n", printable(config_path),
             fits && has_places ? "" : ", but not as it is here: see the warnings");
  return kExitComplete;
}

/// Calls `work` for each path, with its name as a heading where there are several and `named`. With several paths the
/// others are shown even if one is refused; with a single one, errors leave as exceptions.
template <class Work>
int for_each_path(const std::vector<std::string>& paths, bool named, const Work& work) {
  if (paths.size() == 1) return work(paths[0]);
  int worst = kExitComplete;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (named) fmt::print("{}== {}\n", i == 0 ? "" : "\n", paths[i]);
    std::fflush(stdout);  // keeps errors in their place, also in a log
    int code = kExitBadInput;
    try {
      code = work(paths[i]);
    } catch (const ConfigError& error) {
      tell(stderr, "error: {}\n", error.what());
    } catch (const IoError& error) {
      tell(stderr, "error: {}\n", error.what());
    } catch (const std::invalid_argument& error) {  // a World too large for the engine
      tell(stderr, "error: {}: {}\n", paths[i], error.what());
    }
    std::fflush(stdout);
    worst = std::max(worst, code);
  }
  return worst;
}

}  // namespace

int command_check(const CheckArguments& arguments) {
  if (!arguments.draw_path.empty() && arguments.config_paths.size() > 1) {
    throw ConfigError(
        fmt::format("check: --draw makes one picture, of one configuration, but {} are given; check them one by one",
                    arguments.config_paths.size()));
  }
  return for_each_path(arguments.config_paths, true,
                       [&](const std::string& path) { return check_one(path, arguments); });
}

int command_config(const std::string& config_path, const std::vector<std::string>& sets, bool reference) {
  if (reference) {
    fmt::print("{}", reference_text());
  } else if (config_path.empty()) {
    throw ConfigError("config: give a configuration file to print it with every default, or --reference");
  } else if (is_hdf5(config_path)) {
    const std::string stored = read_summary(config_path).config_toml;
    fmt::print("{}", sets.empty() ? stored : resolved_text(load_config_text(stored, config_path, sets)));
  } else {
    fmt::print("{}", resolved_text(load_config(config_path, sets)));
  }
  return kExitComplete;
}

int command_info(const std::vector<std::string>& paths, ReportFormat format) {
  const bool json = format == ReportFormat::json;
  return for_each_path(paths, false, [&](const std::string& path) {
    if (is_checkpoint(path)) {
      fmt::print("{}", json ? describe_checkpoint_json(path) : describe_checkpoint(path));
    } else {
      fmt::print("{}", json ? describe_run_json(path) : describe_run(path));
    }
    if (!json && path != paths.back()) fmt::print("\n");
    return static_cast<int>(kExitComplete);
  });
}

}  // namespace heddle
