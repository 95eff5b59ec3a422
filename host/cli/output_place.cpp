#include "host/cli/output_place.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "host/base/error.hpp"
#include "host/config/input_files.hpp"
#include "io/results/output_path.hpp"
#include "io/results/replaced_file.hpp"

namespace heddle {
namespace {

std::string placed(const Config& config, const std::string& file) {
  return config.output.relative_to == "configuration_folder" ? path_beside(config, file) : file;
}

/// The canonical path where it can be determined; an invalid path is refused by the code that uses it.
std::filesystem::path canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return error ? std::filesystem::path(path).lexically_normal() : whole;
}

/// Refuses the endings that a run uses for files beside its result.
void refuse_own_ending(const std::string& path, const std::string& named_by) {
  for (const std::string_view ending : {".part", ".lock", ".checkpoint_0", ".checkpoint_1", ".tmp"}) {
    if (!path.ends_with(ending)) continue;
    throw ConfigError(
        fmt::format("cannot write results to '{}': names that end in {} are those of files that a run has beside its "
                    "result, and are taken for such; give another name with {}",
                    path, ending, named_by));
  }
}

}  // namespace

std::string output_path_of(const RunArguments& arguments, const Config& config) {
  if (!arguments.output_path.empty()) return arguments.output_path;
  if (!config.output.file.empty()) return placed(config, config.output.file);
  return placed(config, std::filesystem::path(config.path).stem().string() + ".h5");
}

OutputOptions placed_output(const Config& config) {
  OutputOptions output = config.output;
  if (!output.fct_file.empty()) output.fct_file = placed(config, output.fct_file);
  if (!output.pfc_file.empty()) output.pfc_file = placed(config, output.pfc_file);
  return output;
}

void check_names(const Config& config, const std::string& result_path) {
  const OutputOptions output = placed_output(config);
  refuse_own_ending(result_path, "-o");
  refuse_own_ending(output.fct_file, "output.fct_file");
  refuse_own_ending(output.pfc_file, "output.pfc_file");
  struct Taken {
    std::string path, what;
  };
  std::vector<Taken> uses = {{config.path, "the configuration"}};
  for (const NamedInput& input : input_files_of(config)) {
    for (const std::string& path : paths_of_input(config, input)) uses.push_back({path, input.key});
  }
  for (const Taken& use : {Taken{result_path, "the result file"}, Taken{output.fct_file, "output.fct_file"},
                           Taken{output.pfc_file, "output.pfc_file"}}) {
    if (use.path.empty()) continue;
    for (const Taken& other : uses) {
      if (canonical(use.path) != canonical(other.path)) continue;
      throw ConfigError(
          fmt::format("{} and {} are the same file, {}: one would overwrite the other; name them differently",
                      other.what, use.what, use.path));
    }
    uses.push_back(use);
  }
}

void check_exports(const OutputOptions& output, bool overwrite) {
  constexpr size_t kFctColumns = 8, kPfcColumns = 5;
  const auto check = [&](const std::string& path, size_t columns, const char* key) {
    if (path.empty()) return;
    check_writable(path, overwrite, key);
    refuse_foreign_export(path, columns, key);
  };
  check(output.fct_file, kFctColumns, "output.fct_file");
  check(output.pfc_file, kPfcColumns, "output.pfc_file");
}

}  // namespace heddle
