#include "host/cli/sweep/sweep.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/sweep/axes.hpp"
#include "host/cli/sweep/foreign.hpp"
#include "host/cli/sweep/inputs.hpp"
#include "host/cli/sweep/leftovers.hpp"
#include "host/cli/sweep/worlds.hpp"
#include "host/cli/sweep/writer.hpp"
#include "host/cli/tell.hpp"
#include "host/config/config.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/printable.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The configuration of a run with the sweep's file names: it reads copies and writes beside its configuration, under
/// names that begin with `name`.
std::string text_for(Config config, const std::string& name, SweepInputs& inputs) {
  inputs.take(config);
  config.output.relative_to = "configuration_folder";
  config.output.file = name + ".h5";
  if (!config.output.fct_file.empty()) config.output.fct_file = name + ".fct.txt";
  if (!config.output.pfc_file.empty()) config.output.pfc_file = name + ".pfc.txt";
  return resolved_text(config);
}

/// Creates the runs one after the other and remembers what later ones are checked against.
class Runs {
 public:
  Runs(const SweepArguments& arguments, const std::vector<Axis>& axes)
      : arguments_(arguments),
        keys_(keys_of(axes)),
        count_(runs_of(axes)),
        width_(std::to_string(count_ - 1).size()),
        worlds_(arguments.run ? budget_of(arguments.running) : MemoryBudget()) {
    table_ = "run,config,result";
    for (const std::string& key : keys_) table_ += "," + csv_field(key);
    table_ += "\n";
    for (std::size_t i = 0; i < count_; ++i) add(i, combination(axes, i));
  }

  SweepFiles files() && {
    files_.texts.emplace("axes.csv", std::move(table_));
    files_.texts.emplace("runs.txt", std::move(names_));
    files_.copies = inputs_.copies();
    return std::move(files_);
  }
  std::size_t count() const { return count_; }
  u64 max_needed_bytes() const { return worlds_.max_needed_bytes(); }

 private:
  static std::string csv_field(const std::string& value) {
    if (value.find_first_of(",\"\n") == std::string::npos) return value;
    std::string quoted = "\"";
    for (const char c : value) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
  }

  void add(std::size_t index, const std::vector<std::string>& values) {
    std::vector<std::string> sets = arguments_.sets;
    std::string which;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      sets.push_back(keys_[k] + "=" + values[k]);
      which += " " + sets.back();
    }
    const std::string name = fmt::format("{:0{}}", index, width_);
    const std::string text = checked_text(sets, name, fmt::format("run {}:{}", index, which));
    const std::string source = fs::path(arguments_.config_path).filename().string();
    files_.texts.emplace(name + ".toml", first_line_of_run(index, count_, source, which) + "\n" + text);
    names_ += name + ".toml\n";
    table_ += fmt::format("{},{}.toml,{}.h5", index, name, name);
    for (const std::string& value : values) table_ += "," + csv_field(value);
    table_ += "\n";
  }

  /// Replaces --set by --axis in errors about the values of an axis, as the user wrote them.
  std::string axes_named(std::string message, const std::vector<std::string>& sets) const {
    for (std::size_t i = arguments_.sets.size(); i < sets.size(); ++i) {
      const std::string set = "--set " + sets[i], axis = "--axis " + sets[i];
      for (std::size_t at = 0; (at = message.find(set, at)) != std::string::npos; at += axis.size())
        message.replace(at, set.size(), axis);
    }
    return message;
  }

  /// `which` names the run in errors.
  std::string checked_text(const std::vector<std::string>& sets, const std::string& name, const std::string& which) {
    try {
      const Config config = load_config(arguments_.config_path, sets);
      std::string text = text_for(config, name, inputs_);
      worlds_.check(config);
      const auto [same, first] = seen_.emplace(text_for(config, "", inputs_), which);
      if (!first) throw ConfigError(fmt::format("it would be the same as {}", same->second));
      return text;
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", which, axes_named(error.what(), sets)));
    } catch (const IoError& error) {
      throw InputError(fmt::format("{}: {}", which, error.what()));
    }
  }

  const SweepArguments& arguments_;
  std::vector<std::string> keys_;
  std::size_t count_, width_;
  SweepInputs inputs_;
  SweepWorlds worlds_;
  SweepFiles files_;
  std::map<std::string, std::string> seen_;  // what is simulated -> which run
  std::string names_, table_;
};

void say_what_to_do(const std::string& folder, std::size_t runs) {
  const std::string text = fmt::format(
      "{0} configurations in {1} (axes.csv says which is which); to run them on this machine, several at a time:\n"
      "  heddle sweep {2} --run\n"
      "or on a cluster, from the repository (slurm/README.md):\n"
      "  sbatch --array=0-{3} slurm/sweep.sbatch {2}\n"
      "and to compare them, also while they run:\n"
      "  heddle compare {2}\n",
      runs, folder, shell_word(folder), runs - 1);
  fmt::print("{}", printable(text));
}

/// The folder as it was named, without a slash at its end.
fs::path folder_for(const SweepArguments& arguments) {
  const fs::path config = arguments.config_path;
  const fs::path folder = fs::path(arguments.folder.empty() ? config.stem().string() + "_sweep" : arguments.folder);
  return folder.has_filename() ? folder : folder.parent_path();
}

void write_sweep(const fs::path& folder, const SweepFiles& files) {
  std::error_code error;
  const bool there = fs::exists(folder, error);
  const std::vector<fs::path> leftovers = there ? leftovers_in(folder, files) : std::vector<fs::path>();
  write_files(folder, files);
  remove_leftovers(leftovers);
}

/// Refuses a missing parent folder: it may be mistyped, and `heddle run` creates none either.
void refuse_missing_parent(const fs::path& folder) {
  const fs::path parent = folder.parent_path();
  std::error_code error;
  if (parent.empty() || fs::exists(parent, error) || error) return;
  throw IoError(fmt::format(
      "{}: folder '{}' does not exist; nothing of the sweep was written; create it or choose another place with -o",
      folder.string(), parent.string()));
}

/// Writes the sweep and returns its folder.
fs::path written(const SweepArguments& arguments) {
  if (!is_there(arguments.config_path))
    throw ConfigError(fmt::format("{}: there is no such file or folder", arguments.config_path));
  if (arguments.axes.empty()) {
    throw ConfigError(
        "--axis is required: section.key=value,value,... or section.key=first..last:step; or give the folder of a "
        "sweep and --run");
  }
  const std::vector<Axis> axes = axes_of(arguments.axes, arguments.sets);
  fs::path folder = folder_for(arguments);
  std::error_code error;
  const bool there = fs::exists(folder, error);  // an inaccessible folder is reported when it is written
  const auto refuse = [&](const std::string& why) {
    throw IoError(
        fmt::format("{}: it is there already, and {}; name another folder with -o, or add --force to write into it",
                    folder.string(), why));
  };
  refuse_missing_parent(folder);
  if (there && !arguments.force && !arguments.run) refuse("runs of another sweep may be in it");
  Runs runs(arguments, axes);
  const std::size_t count = runs.count();
  if (arguments.run) plan_for(runs.max_needed_bytes(), count, arguments.running);  // refuses what run_sweep would
  const SweepFiles files = std::move(runs).files();
  if (there && !arguments.force) {
    if (!holds_files(folder, files)) refuse("the sweep in it is not this one, so its runs would be others");
    return folder;
  }
  write_sweep(folder, files);
  if (!arguments.run) say_what_to_do(folder.string(), count);
  return folder;
}

void refuse_beside_folder(const SweepArguments& arguments) {
  const std::string& folder = arguments.config_path;
  if (!arguments.run) {
    throw ConfigError(fmt::format(
        "{}: is a folder; give a configuration file (TOML), or add --run to run the sweep that lies in it", folder));
  }
  if (arguments.axes.empty() && arguments.sets.empty() && arguments.folder.empty() && !arguments.force) return;
  throw ConfigError(fmt::format(
      "{}: is a folder, whose configurations are run as they are: --axis, --set, -o and --force would have no effect; "
      "leave them out, or give the configuration file that the sweep is made from",
      folder));
}

}  // namespace

int command_sweep(const SweepArguments& arguments) {
  std::error_code error;
  if (fs::is_directory(arguments.config_path, error)) {
    refuse_beside_folder(arguments);
    return run_sweep(arguments.config_path, arguments.running);
  }
  fs::path folder;
  try {
    folder = written(arguments);
  } catch (const OutputError& output_error) {  // the machine's fault
    tell(stderr, "error: {}\n", output_error.what());
    return kExitInternalError;
  }
  return arguments.run ? run_sweep(folder.string(), arguments.running) : kExitComplete;
}

}  // namespace heddle
