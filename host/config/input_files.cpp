#include "host/config/input_files.hpp"

namespace heddle {

std::vector<NamedInput> input_files_of(const Config& config) {
  std::vector<NamedInput> files;
  visit_input_files(config, [&](const std::string& key, const std::string& name, const Format& format) {
    files.push_back({key, name, &format});
  });
  return files;
}

std::vector<std::string> paths_of_input(const Config& config, const NamedInput& input) {
  return input.format->files(path_beside(config, input.file));
}

std::optional<PlainServers> read_imported_file(const Config& config) {
  const TopologyOptions& topology = config.fabric.topology;
  const Format* format = find_format("topology.kind", topology.kind);
  if (format == nullptr || topology.file.empty()) return std::nullopt;
  return format->read_topology(path_beside(config, topology.file), topology.first_hosts);
}

}  // namespace heddle
