#include "host/config/imported_file.hpp"

#include "io/formats/hpcc.hpp"
#include "io/formats/htsim.hpp"
#include "io/formats/simai_topology.hpp"

namespace heddle {

std::optional<PlainServers> read_imported_file(const Config& config) {
  const TopologyOptions& topology = config.fabric.topology;
  if (!is_imported(topology.kind) || topology.file.empty()) return std::nullopt;
  const std::string path = path_beside(config, topology.file);
  if (topology.kind == "simai") return read_simai_topology(path);
  if (topology.kind == "htsim") return PlainServers{.network = read_htsim_topology(path)};
  return PlainServers{.network = read_hpcc_topology(path, {.first_hosts = topology.first_hosts})};
}

}  // namespace heddle
