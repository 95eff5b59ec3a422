#include "host/cli/fabric_picture.hpp"

#include <optional>
#include <vector>

#include "host/check/drawing/svg.hpp"
#include "host/config/config.hpp"

namespace heddle {

std::string fabric_title(const TopologyOptions& topology) {
  const std::optional<drawing::Grid> grid = drawing::grid_of(topology);
  return grid ? drawing::grid_text(*grid) : topology.kind;
}

std::string fabric_picture(const Config& config, const std::string& title, const Fabric& fabric) {
  std::vector<std::optional<drawing::Grid>> grids{drawing::grid_of(config.fabric.topology)};
  for (const OtherFabricOptions& other : config.fabrics) grids.push_back(drawing::grid_of(other.fabric.topology));
  return drawing::fabric_svg(fabric, title, grids);
}

}  // namespace heddle
