// `heddle check --draw`: the picture of a fabric as a file.
#pragma once

#include <string>

#include "kernels/world/fabric.hpp"

namespace heddle {

/// Throws ConfigError where `path` names a file that is no such picture.
void check_picture_place(const std::string& path);

/// Writes the picture as SVG, named after the configuration. It may replace an earlier one. Throws OutputError.
void write_picture(const std::string& path, const std::string& config_path, const Fabric& fabric);

}  // namespace heddle
