#include "host/commands/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "host/base/error.hpp"
#include "host/check/drawing/svg.hpp"
#include "host/cli/text_file.hpp"
#include "io/durable.hpp"

namespace heddle {

void check_picture_place(const std::string& path) {
  if (!is_there(path)) return;
  const std::string why = why_not_replaced(path, drawing::kSvgMark, "a picture by `heddle check --draw`");
  if (why.empty()) return;
  throw ConfigError(
      fmt::format("{}: is there already, and {}, so --draw does not replace it; remove it by hand if it is not needed, "
                  "or choose another path with --draw",
                  path, why));
}

std::string picture_title(const std::string& config_path, const TopologyOptions& topology) {
  const std::string name = std::filesystem::path(config_path).stem().string();
  const auto of = [&](std::string_view key) {
    const auto found = std::ranges::find_if(topology.values, [&](const DimensionValue& value) {
      return value.topology == topology.kind && value.dimension->key == key;
    });
    return found->number;
  };
  if (topology.kind == "torus")
    return fmt::format("{}: torus, {} columns x {} rows of leaves, all rings", name, of("columns"), of("rows"));
  if (topology.kind == "hamming_mesh")
    return fmt::format("{}: HammingMesh, {} x {} boards of {} x {} leaves (columns x rows)", name, of("columns"),
                       of("rows"), of("board_columns"), of("board_rows"));
  return name;
}

void write_picture(const std::string& path, const std::string& title, const Fabric& fabric) {
  write_text_file(path, drawing::fabric_svg(fabric, title), true, "--draw");
}

}  // namespace heddle
