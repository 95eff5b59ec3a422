#include "host/cli/output_place.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "host/error.hpp"
#include "io/results/output_path.hpp"

namespace heddle {
namespace {

std::string placed(const Config& config, const std::string& file) {
  return config.output.relative_to == "configuration_folder" ? path_beside(config, file) : file;
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

void check_names(const OutputOptions& output, const std::string& result_path, const std::string& config_path) {
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
}

void check_exports(const OutputOptions& output, bool overwrite) {
  if (!output.fct_file.empty()) check_writable(output.fct_file, overwrite, "output.fct_file");
  if (!output.pfc_file.empty()) check_writable(output.pfc_file, overwrite, "output.pfc_file");
}

}  // namespace heddle
