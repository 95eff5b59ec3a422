#include "host/commands/picture.hpp"

#include <fmt/format.h>

#include <filesystem>

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

void write_picture(const std::string& path, const std::string& config_path, const Fabric& fabric) {
  const std::string name = std::filesystem::path(config_path).stem().string();
  write_text_file(path, drawing::fabric_svg(fabric, name), true, "--draw");
}

}  // namespace heddle
