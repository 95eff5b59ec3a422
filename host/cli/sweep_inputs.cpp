#include "host/cli/sweep_inputs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <span>

#include "host/error.hpp"
#include "io/hash_bytes.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string name_of_copy(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (!stream && !stream.eof()) throw ConfigError(fmt::format("{}: cannot read this file", path.string()));
  const u64 hash = absorb_bytes(0, std::as_bytes(std::span(bytes)));
  return fmt::format("inputs/{}_{:016x}{}", path.stem().string(), hash, path.extension().string());
}

}  // namespace

void SweepInputs::take(const Config& config, const std::string& key, std::string& file) {
  if (file.empty()) return;
  const fs::path path = fs::absolute(path_beside(config, file)).lexically_normal();
  if (!fs::exists(path)) return;
  if (!fs::is_regular_file(path)) {
    throw ConfigError(
        fmt::format("{}: {} is no ordinary file, so it could not be read again by every run of the sweep; write it to "
                    "a file first",
                    key, file));
  }
  std::string& name = names_[path];
  if (name.empty()) name = name_of_copy(path);
  copies_.emplace(name, path);
  file = name;
}

void SweepInputs::take(Config& config) {
  take(config, "topology.file", config.fabric.topology.file);
  take(config, "routing.paths_file", config.routing.paths_file);
  take(config, "workload.flow_file", config.workload_files.flow_file);
  for (std::size_t g = 0; g < config.generators.size(); ++g)
    take(config, fmt::format("generator[{}].size_cdf", g), config.generators[g].size_cdf);
}

}  // namespace heddle
