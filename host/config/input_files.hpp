// The files that a configuration names for a run to read.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "host/config/config.hpp"
#include "io/formats/formats.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

/// Calls visit(key, name, format) for every name of a file that is not empty.
template <class AnyConfig, class Visit>
void visit_input_files(AnyConfig& config, const Visit& visit) {
  const auto named = [&](const std::string& key, auto& name, const Format* format) {
    if (!name.empty() && format != nullptr) visit(key, name, *format);
  };
  named("topology.file", config.fabric.topology.file, find_format("topology.kind", config.fabric.topology.kind));
  named("routing.paths_file", config.routing.paths_file, find_format("routing.paths_file"));
  named("routing.weights_file", config.routing.weights_file, find_format("routing.weights_file"));
  named("routing.demands_file", config.routing.demands_file, find_format("routing.demands_file"));
  auto& flows = config.workload_files;
  named("workload.flow_file", flows.flow_file, find_format("workload.flow_format", flows.flow_format));
  for (size_t j = 0; j < config.jobs.size(); ++j) {
    const std::string job = fmt::format("job[{}].", j);
    auto& trace = config.jobs[j].trace;
    named(job + "trace.file", trace.file, find_format("job.trace.format", trace.format));
    named(job + "trace.groups_file", trace.groups_file, find_format("job.trace.groups_file"));
    auto& steps = config.jobs[j].collectives;
    for (size_t c = 0; c < steps.size(); ++c) {
      named(fmt::format("{}collective[{}].matrix_file", job, c), steps[c].matrix_file,
            find_format("job.collective.matrix_file"));
    }
  }
  for (size_t g = 0; g < config.generators.size(); ++g) {
    named(fmt::format("generator[{}].size_cdf", g), config.generators[g].size_cdf, find_format("generator.size_cdf"));
  }
}

/// A key that names what the run reads, and what it says (see path_beside).
struct NamedInput {
  std::string key, file;
  const Format* format;
};
std::vector<NamedInput> input_files_of(const Config& config);

/// Where those are: one, or one for each rank.
std::vector<std::string> paths_of_input(const Config& config, const NamedInput& input);

/// The file of a topology.kind that has one; a format that knows no servers gives servers of one GPU without NVLink.
/// None for other kinds, and where no file is named. Throws InputError.
std::optional<PlainServers> read_imported_file(const Config& config);

}  // namespace heddle
