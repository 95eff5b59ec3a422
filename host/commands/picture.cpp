#include "host/commands/picture.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

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
  const std::optional<drawing::Grid> grid = drawing::grid_of(topology);
  return grid ? fmt::format("{}: {}", name, drawing::grid_text(*grid)) : name;
}

void write_picture(const std::string& path, const std::string& svg) { write_text_file(path, svg, true, "--draw"); }

}  // namespace heddle
