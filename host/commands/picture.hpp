// `heddle check --draw`: the picture of a fabric as a file.
#pragma once

#include <string>

#include "host/scenario/topology/options.hpp"

namespace heddle {
/// Throws ConfigError where `path` names a file that is no such picture.
void check_picture_place(const std::string& path);

/// The heading of the picture: the name of the configuration, and the dimensions of a torus or a HammingMesh:
/// "mesh: torus, 16 columns x 16 rows of leaves, all rings".
std::string picture_title(const std::string& config_path, const TopologyOptions& topology);

/// May replace an earlier picture. Throws OutputError.
void write_picture(const std::string& path, const std::string& svg);

}  // namespace heddle
