#include "host/scenario/inputs.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "host/config/input_files.hpp"
#include "host/scenario/workload/flows.hpp"
#include "io/formats/byte_matrix.hpp"
#include "io/formats/links.hpp"
#include "io/formats/reading.hpp"
#include "io/formats/size_cdf.hpp"

namespace heddle {
namespace {

/// Checks that the GPUs that the file joins by NVLink are those of a job's servers.
void check_servers(const Config& config, const PlainServers& imported) {
  if (!find_format("topology.kind", config.fabric.topology.kind)->of_servers) return;
  for (size_t j = 0; j < config.jobs.size(); ++j) {
    const u32 of_job = config.jobs[j].gpus_per_server;
    if (of_job == imported.gpus_per_server) continue;
    throw ConfigError(
        fmt::format("{0}: job[{1}].gpus_per_server is {2}, but NVLink joins {3} GPUs in '{4}'; set it to {3}",
                    config.path, j, of_job, imported.gpus_per_server, config.fabric.topology.file));
  }
}

/// Refuses messages in a single server, whose only traffic is on NVLink.
void refuse_messages(const Config& config) {
  if (config.messages.empty() && config.generators.empty() && config.workload_files.flow_file.empty()) return;
  throw ConfigError(fmt::format(
      "{}: '{}' is one server without a network, so there is nothing that messages, generators or a flow_file could "
      "cross; leave them out (jobs use its NVLink), or add switches and links to the file",
      config.path, config.fabric.topology.file));
}

/// The file of a job that replays one.
void read_trace(const Config& config, size_t index, JobOptions& job) {
  if (!job.trace.present()) return;
  if (job.trace.file.empty()) {
    throw ConfigError(
        fmt::format("{0}: job[{1}].trace.file: format = \"{2}\" needs it; add file = \"...\" to [job.trace]",
                    config.path, index, job.trace.format));
  }
  const Format& format = *find_format("job.trace.format", job.trace.format);
  if (format.of_any_gpus && job.gpus == 0) {
    throw ConfigError(
        fmt::format("{}: job[{}].gpus: {} is for any number of GPUs; say how many", config.path, index, format.help));
  }
  const std::string groups = job.trace.groups_file.empty() ? "" : path_beside(config, job.trace.groups_file);
  const TraceReading how = {.gpus = job.gpus,
                            .eager_bytes = job.trace.eager_limit_bytes,
                            .groups_file = groups,
                            .gpu = {job.trace.peak_tflops, job.trace.memory_bytes_per_s}};
  job.replayed = std::make_shared<const Trace>(format.read_trace(path_beside(config, job.trace.file), how));
  if (job.gpus == 0) job.gpus = static_cast<u32>(job.replayed->ranks.size());
}

void read_matrices(const Config& config, JobOptions& job) {
  for (CollectiveStepOptions& step : job.collectives) {
    if (step.matrix_file.empty()) continue;
    const std::string path = path_beside(config, step.matrix_file);
    step.matrix = std::make_shared<const PlainByteMatrix>(read_byte_matrix(path));
    if (job.gpus == 0) job.gpus = step.matrix->ranks;
  }
}

void read_flows(const Config& config, const PlainTopology* imported, WorkloadInput& input,
                std::vector<std::string>& notes) {
  const WorkloadFileOptions& files = config.workload_files;
  input.flow_file = path_beside(config, files.flow_file);
  const FlowReading how = {.nodes = imported == nullptr ? 0 : imported->nodes,
                           .first_flows = files.first_flows,
                           .unit = files.start_unit == "us" ? StartUnit::us : StartUnit::ps};
  PlainMatrix matrix = find_format("workload.flow_format", files.flow_format)->read_flows(input.flow_file, how);
  if (matrix.nodes != 0) {
    place_waits(matrix, input.flow_file, how.unit, notes);
  } else if (imported != nullptr) {
    place_flows(matrix.flows, *imported, input.flow_file);
  }
  input.flow_nodes = matrix.nodes;
  input.flow_nodes_line = matrix.nodes_line;
  input.flows = std::move(matrix.flows);
  input.waits = std::move(matrix.waits);
}

}  // namespace

std::optional<PlainTopology> read_imported(const Config& config) {
  std::optional<PlainServers> imported = read_imported_file(config);
  if (!imported) return std::nullopt;
  const std::string lossy = lossy_link_of(imported->network, path_beside(config, config.fabric.topology.file));
  if (!lossy.empty()) throw ConfigError(lossy);
  check_servers(config, *imported);
  if (imported->alone) refuse_messages(config);
  return std::move(imported->network);
}

WorkloadInput read_workload(const Config& config, const PlainTopology* imported, std::vector<std::string>& notes) {
  WorkloadInput input;
  input.settings = config.workload;
  input.messages = config.messages;
  input.generators = config.generators;
  input.slow_receivers = config.slow_receivers;
  input.jobs = config.jobs;
  input.control = config.control_network;
  for (size_t j = 0; j < input.jobs.size(); ++j) {
    read_trace(config, j, input.jobs[j]);
    read_matrices(config, input.jobs[j]);
  }
  for (const GeneratorOptions& generator : config.generators) {
    input.size_cdfs.emplace_back();
    if (!generator.size_cdf.empty()) {
      input.size_cdfs.back() = size_cdf_of(read_size_cdf(path_beside(config, generator.size_cdf)));
    }
  }
  if (!config.workload_files.flow_file.empty()) read_flows(config, imported, input, notes);
  for (const JobOptions& job : input.jobs) {
    if (job.replayed != nullptr) notes.insert(notes.end(), job.replayed->notes.begin(), job.replayed->notes.end());
  }
  return input;
}

}  // namespace heddle
