#include "host/cli/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "host/cli/exit_codes.hpp"
#include "host/cli/sweep_leftovers.hpp"
#include "host/cli/sweep_worlds.hpp"
#include "host/config/config.hpp"
#include "host/error.hpp"
#include "io/error.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// More runs than this are a mistyped range, or more than a Slurm array takes (MaxArraySize is 1,001 by default).
constexpr std::size_t kMostRuns = 10'000;

[[noreturn]] void bad_axis(const std::string& argument, const std::string& why) {
  throw ConfigError(fmt::format("--axis {}: {}; write key=value,value,... or key=first..last", argument, why));
}

/// At commas that are in no brackets and no quotes.
std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

std::optional<long long> integer_of(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The integers of "first..last"; nothing when it is something else.
std::vector<std::string> range_of(const std::string& argument, std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {};
  const auto first = integer_of(text.substr(0, dots)), last = integer_of(text.substr(dots + 2));
  if (!first || !last) return {};
  if (*last < *first) bad_axis(argument, fmt::format("{} is below {}", *last, *first));
  if (static_cast<unsigned long long>(*last) - static_cast<unsigned long long>(*first) >= kMostRuns)
    bad_axis(argument, fmt::format("these are more than {} values", kMostRuns));
  std::vector<std::string> values;
  for (long long value = *first; value <= *last; ++value) values.push_back(std::to_string(value));
  return values;
}

std::vector<Axis> axes_of(const std::vector<std::string>& arguments) {
  std::vector<Axis> axes;
  std::size_t runs = 1;
  for (const std::string& argument : arguments) {
    axes.push_back(axis_of(argument));
    const auto same_key = [&](const Axis& axis) { return axis.key == axes.back().key; };
    if (std::count_if(axes.begin(), axes.end(), same_key) > 1)
      bad_axis(argument, fmt::format("there are two axes of {}", axes.back().key));
    runs *= axes.back().values.size();
    if (runs > kMostRuns) bad_axis(argument, fmt::format("with it there are more than {} runs", kMostRuns));
  }
  return axes;
}

/// The values of run `index`, one per axis; the last axis is the fastest.
std::vector<std::string> combination(const std::vector<Axis>& axes, std::size_t index) {
  std::vector<std::string> values(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; index /= axes[a].values.size()) {
    values[a] = axes[a].values[index % axes[a].values.size()];
  }
  return values;
}

struct SweepRun {
  std::vector<std::string> values;  // of the axes
  std::string path, text;
};

/// From the root, whatever the folder is that the program was started in.
fs::path from_here(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (!error) return whole.lexically_normal();
  throw IoError(fmt::format(
      "{}: where this lies cannot be said, because of the folder that you are in: {}; go to one that is there",
      path.string(), error.message()));
}

/// Resolved configurations lie elsewhere than the one they come from, so they name files from the root; every run
/// writes files of its own, which begin with `result_path`.
std::string text_for(Config config, const std::string& result_path) {
  const auto from_root = [&](std::string& file) {
    if (!file.empty()) file = from_here(path_beside(config, file)).string();
  };
  from_root(config.fabric.topology.file);
  from_root(config.workload_files.flow_file);
  from_root(config.routing.paths_file);
  for (GeneratorOptions& generator : config.generators) from_root(generator.size_cdf);
  config.output.file = result_path + ".h5";
  if (!config.output.fct_file.empty()) config.output.fct_file = result_path + ".fct.txt";
  if (!config.output.pfc_file.empty()) config.output.pfc_file = result_path + ".pfc.txt";
  return resolved_text(config);
}

/// A configuration that can be run. `which` names it in errors.
Config load_run(const std::string& path, const std::vector<std::string>& sets, SweepWorlds& worlds,
                const std::string& which) {
  try {
    Config config = load_config(path, sets);
    worlds.check(config);
    return config;
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", which, error.what()));
  } catch (const IoError& error) {
    throw InputError(fmt::format("{}: {}", which, error.what()));
  }
}

std::vector<SweepRun> runs_of(const SweepArguments& arguments, const std::vector<Axis>& axes, const fs::path& folder) {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.values.size();
  const std::size_t width = std::to_string(count - 1).size();
  std::vector<SweepRun> runs;
  SweepWorlds worlds;
  for (std::size_t i = 0; i < count; ++i) {
    SweepRun run{combination(axes, i), (folder / fmt::format("{:0{}}.toml", i, width)).string(), {}};
    std::vector<std::string> sets = arguments.sets;
    std::string values;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      sets.push_back(axes[a].key + "=" + run.values[a]);
      values += " " + sets.back();
    }
    const Config config = load_run(arguments.config_path, sets, worlds, fmt::format("run {}:{}", i, values));
    run.text = fmt::format("# run {} of {} of {}:{}\n\n", i, count, arguments.config_path, values) +
               text_for(config, fs::path(run.path).replace_extension().string());
    runs.push_back(std::move(run));
  }
  return runs;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file)
    throw IoError(fmt::format("{}: cannot write this file; is there space, and may you write there?", path.string()));
}

/// A value as one field of a CSV file.
std::string csv_field(const std::string& value) {
  if (value.find_first_of(",\"\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Axis axis_of(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) bad_axis(argument, "there is no key before \"=\"");
  Axis axis{argument.substr(0, equals), range_of(argument, std::string_view(argument).substr(equals + 1))};
  if (axis.values.empty()) axis.values = split_values(std::string_view(argument).substr(equals + 1));
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (axis.values[i].empty()) bad_axis(argument, "a value is empty");
    if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i), axis.values[i]) !=
        axis.values.begin() + static_cast<std::ptrdiff_t>(i)) {
      bad_axis(argument, fmt::format("{} is there twice, so two runs would be the same", axis.values[i]));
    }
  }
  return axis;
}

int command_sweep(const SweepArguments& arguments) {
  const std::vector<Axis> axes = axes_of(arguments.axes);
  const std::string name = fs::path(arguments.config_path).stem().string() + "_sweep";
  const fs::path folder = from_here(arguments.folder.empty() ? name : arguments.folder);
  std::error_code error;
  if (!arguments.force && fs::exists(folder, error)) {
    throw IoError(
        fmt::format("{}: it is there already, and runs of another sweep may be in it; name another folder "
                    "with -o, or add --force to write into it",
                    folder.string()));
  }
  const std::vector<SweepRun> runs = runs_of(arguments, axes, folder);

  fs::create_directories(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
  std::map<std::string, std::string> texts;
  for (const SweepRun& run : runs) texts[fs::path(run.path).stem().string()] = run.text;
  remove_leftovers(folder, texts);
  std::string paths, table = "run";
  for (const Axis& axis : axes) table += "," + csv_field(axis.key);
  table += "\n";
  for (const SweepRun& run : runs) {
    write_file(run.path, run.text);
    paths += run.path + "\n";
    table += fs::path(run.path).stem().string();
    for (const std::string& value : run.values) table += "," + csv_field(value);
    table += "\n";
  }
  write_file(folder / "axes.csv", table);
  write_file(folder / "runs.txt", paths);
  fmt::print(
      "{0} configurations in {1} (axes.csv says which is which); to run them:\n"
      "  while read -r config; do heddle run \"$config\"; done < {1}/runs.txt\n"
      "or on a cluster, from the repository (slurm/README.md):\n"
      "  sbatch --array=0-{2} slurm/sweep.sbatch {1}\n"
      "and to compare them, also while they run:\n"
      "  heddle compare {1}\n",
      runs.size(), folder.string(), runs.size() - 1);
  return kExitComplete;
}

}  // namespace heddle
