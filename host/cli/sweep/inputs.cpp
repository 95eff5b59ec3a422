#include "host/cli/sweep/inputs.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <system_error>

#include "host/base/error.hpp"
#include "host/config/input_files.hpp"
#include "io/hash_bytes.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The name of the copy of `path`, a file with the content of these files.
std::string name_of_copy(const fs::path& path, const std::vector<std::string>& files) {
  u64 hash = 0;
  for (const std::string& name : files) {
    OrdinaryFile file(name);
    const std::optional<std::string> bytes = file.read_all(kMaxTextBytes);
    if (!bytes) throw ConfigError(fmt::format("{}: cannot read this file: {}", name, file.problem()));
    hash = absorb_bytes(hash, std::as_bytes(std::span(*bytes)));
  }
  return fmt::format("inputs/{}_{:016x}{}", path.stem().string(), hash, path.extension().string());
}

}  // namespace

void SweepInputs::take(const Config& config, const std::string& key, std::string& file, const Format& format) {
  std::error_code error;
  const fs::path path = fs::absolute(path_beside(config, file), error).lexically_normal();
  if (error) {
    throw ConfigError(
        fmt::format("{}: where {} lies cannot be said, because of the folder that you are in: {}; "
                    "go to one that is there",
                    key, file, error.message()));
  }
  const std::vector<std::string> sources = format.files(path.string());
  if (sources.empty() || !fs::exists(sources[0], error)) return;
  for (const std::string& source : sources) {
    if (const std::string problem = why_no_ordinary_file(source); !problem.empty()) {
      throw ConfigError(fmt::format("{}: {} cannot be copied for the runs of the sweep: {}", key, file, problem));
    }
  }
  std::string& name = names_[path];
  if (name.empty()) name = name_of_copy(path, sources);
  for (const std::string& source : sources) copies_.emplace(name + source.substr(path.string().size()), source);
  file = name;
}

void SweepInputs::take(Config& config) {
  visit_input_files(config, [&](const std::string& key, std::string& file, const Format& format) {
    take(config, key, file, format);
  });
}

}  // namespace heddle
