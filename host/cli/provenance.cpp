#include "host/cli/provenance.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <span>

#include "host/build_info.hpp"
#include "host/config/input_files.hpp"
#include "host/config/values.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/hashes.hpp"
#include "io/hash_bytes.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string host_name() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void add_file(const Config& config, const NamedInput& input, std::vector<NamedFile>& files) {
  const std::vector<std::string> paths = paths_of_input(config, input);
  u64 hash = 0;
  for (const std::string& path : paths) {
    OrdinaryFile file(path);
    const std::optional<std::string> bytes = file.read_all(kMaxTextBytes);
    if (!bytes) return;  // unreadable inputs have been reported before
    hash = absorb_bytes(hash, std::as_bytes(std::span(*bytes)));
  }
  if (!paths.empty()) files.push_back({input.key, hash});
}

RunInputs inputs_of(const Config& config) {
  RunInputs inputs{resolved_text(config), {}};
  for (const NamedInput& input : input_files_of(config)) add_file(config, input, inputs.files);
  return inputs;
}

std::string build_text() {
  const BuildInfo& info = build_info();
  return fmt::format("{}; {}; {}; {}", info.build_type, info.compilers, info.backends, info.architectures);
}

}  // namespace

Provenance provenance_of(const Config& config, const World& world, const EngineOptions& engine,
                         const std::string& command_line) {
  Provenance p;
  p.software_version = build_info().version;
  p.git_commit = build_info().git_commit;
  p.git_dirty = build_info().git_dirty;
  p.build = build_text();
  p.date = utc_now();
  p.command_line = command_line;
  p.hosts = host_name();
  p.slurm_job_id = environment("SLURM_JOB_ID");
  p.threads = engine.threads;
  p.devices = engine.device == Device::gpu ? "gpu" : "cpu";
  p.config_hash = config_hash(config);
  p.topology_hash = topology_hash(world);
  p.workload_hash = workload_hash(world);
  p.inputs = inputs_of(config);
  p.parameters = config_values(config);
  return p;
}

std::string version_text() {
  const BuildInfo& info = build_info();
  return fmt::format("heddle {} (commit {:.10}{}; {})", info.version, info.git_commit,
                     info.git_dirty ? ", modified" : "", build_text());
}

}  // namespace heddle
