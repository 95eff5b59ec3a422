// heddle compare: runs, the runs of a sweep, or steps by their parts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/sweep/json.hpp"
#include "host/cli/sweep/report.hpp"
#include "host/cli/tell.hpp"
#include "host/commands/commands.hpp"
#include "host/commands/python_tools.hpp"
#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/report.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Whether `heddle step` has left a step in a folder. Its parts are runs, which may be compared one by one.
bool is_step(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::path(path) / "step.json", none);
}

/// Whether a folder has parts of an unfinished step: a sweep of its layer, in a folder that is no sweep itself.
bool is_begun_step(const std::string& path) {
  std::error_code none;
  const fs::path folder = path;
  return !is_step(path) && fs::exists(folder / "layer" / "axes.csv", none) && !fs::exists(folder / "axes.csv", none);
}

/// Refuses paths that are no steps, as steps are only compared with steps.
void refuse_what_is_no_step(const std::vector<std::string>& paths, const std::string& step) {
  for (const std::string& path : paths) {
    if (is_step(path)) continue;
    std::error_code none;
    if (!fs::exists(path, none)) throw InputError(fmt::format("cannot read '{}': no such file or folder", path));
    throw ConfigError(fmt::format(
        "'{}' is the folder of a step (heddle step), and '{}' is none: steps are compared with steps, runs with runs "
        "(such as {}/pipeline/0.h5)",
        step, path, (fs::path(step) / "").parent_path().string()));
  }
}

/// Compares steps by their parts: their intervals, and how far apart they are. Returns if `paths` contain no step.
void compare_steps(const std::vector<std::string>& paths, ReportFormat format, bool every_run) {
  if (const auto begun = std::ranges::find_if(paths, is_begun_step); begun != paths.end())
    throw InputError(
        fmt::format("'{}' is a step that has not come to its end: the same `heddle step` resumes it, and then it "
                    "can be compared",
                    *begun));
  const auto first = std::ranges::find_if(paths, is_step);
  if (first == paths.end()) return;
  refuse_what_is_no_step(paths, *first);
  if (format == ReportFormat::csv) throw ConfigError("--csv: steps by their parts have no rows of runs; take --json");
  if (every_run) throw ConfigError("--every-run: a step by its parts has no repeated runs; leave it out");
  std::vector<std::string> words;
  if (format == ReportFormat::json) words.emplace_back("--json");
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  become_python("compare", words);
}

}  // namespace

int command_compare(const std::vector<std::string>& paths, ReportFormat format, bool every_run) {
  compare_steps(paths, format, every_run);
  if (every_run && format != ReportFormat::text)
    throw ConfigError("--every-run: --json and --csv list every run anyway; leave it out");
  std::error_code error;
  if (paths.size() == 1 && std::filesystem::is_directory(paths[0], error)) {
    const SweepReport report = report_sweep(paths[0], every_run);
    fmt::print("{}", format == ReportFormat::text  ? printable(report.text)
                     : format == ReportFormat::csv ? sweep_csv(report)
                                                   : sweep_json(paths[0], report));
    if (report.missing.empty()) return kExitComplete;
    tell(stderr, "{}: not every run has a result of its configuration\n{}{}", paths[0],
         format == ReportFormat::text ? "" : report.reasons, report.missing);
    return kExitNotComplete;
  }
  if (paths.size() == 1 && error) {
    throw InputError(
        fmt::format("cannot read '{}': {}; compare takes the folder of a sweep, or two or more result files", paths[0],
                    error == std::errc::no_such_file_or_directory ? "no such file or folder" : error.message()));
  }
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path, error)) continue;
    throw ConfigError(fmt::format(
        "'{}' is a folder: compare takes the folder of one sweep alone, or two or more result files, also of several "
        "sweeps (such as {}/0.h5)",
        path, (std::filesystem::path(path) / "").parent_path().string()));
  }
  if (every_run)
    throw ConfigError("--every-run: result files are compared one by one anyway; give it with the folder of a sweep");
  fmt::print("{}", format == ReportFormat::text  ? compare_runs(paths)
                   : format == ReportFormat::csv ? compare_runs_csv(paths)
                                                 : compare_runs_json(paths));
  return kExitComplete;
}

}  // namespace heddle
