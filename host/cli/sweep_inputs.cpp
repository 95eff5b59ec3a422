#include "host/cli/sweep_inputs.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <system_error>

#include "host/error.hpp"
#include "io/hash_bytes.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string name_of_copy(const fs::path& path) {
  OrdinaryFile file(path.string());
  const std::optional<std::string> bytes = file.read_all(kMostTextBytes);
  if (!bytes) throw ConfigError(fmt::format("{}: cannot read this file: {}", path.string(), file.problem()));
  const u64 hash = absorb_bytes(0, std::as_bytes(std::span(*bytes)));
  return fmt::format("inputs/{}_{:016x}{}", path.stem().string(), hash, path.extension().string());
}

}  // namespace

void SweepInputs::take(const Config& config, const std::string& key, std::string& file) {
  if (file.empty()) return;
  std::error_code error;
  const fs::path path = fs::absolute(path_beside(config, file), error).lexically_normal();
  if (error) {
    throw ConfigError(
        fmt::format("{}: where {} lies cannot be said, because of the folder that you are in: {}; "
                    "go to one that is there",
                    key, file, error.message()));
  }
  if (!fs::exists(path, error)) return;
  if (const std::string problem = why_no_ordinary_file(path.string()); !problem.empty()) {
    throw ConfigError(fmt::format("{}: {} cannot be copied for the runs of the sweep: {}", key, file, problem));
  }
  std::string& name = names_[path];
  if (name.empty()) name = name_of_copy(path);
  copies_.emplace(name, path);
  file = name;
}

void SweepInputs::take(Config& config) {
  take(config, "topology.file", config.fabric.topology.file);
  take(config, "routing.paths_file", config.routing.paths_file);
  take(config, "routing.weights_file", config.routing.weights_file);
  take(config, "routing.demands_file", config.routing.demands_file);
  take(config, "workload.flow_file", config.workload_files.flow_file);
  for (std::size_t j = 0; j < config.jobs.size(); ++j)
    take(config, fmt::format("job[{}].trace.file", j), config.jobs[j].trace.file);
  for (std::size_t g = 0; g < config.generators.size(); ++g)
    take(config, fmt::format("generator[{}].size_cdf", g), config.generators[g].size_cdf);
}

}  // namespace heddle
