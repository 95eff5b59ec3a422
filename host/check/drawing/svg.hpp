// A picture of a fabric as SVG: without scripts, external fonts or files.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "host/check/drawing/grid.hpp"
#include "kernels/world/fabric.hpp"

namespace heddle::drawing {

/// The first characters of every such picture.
inline constexpr const char* kSvgMark = "<svg xmlns=\"http://www.w3.org/2000/svg\"";

/// The same fabric and title give the same text. `grids`: of the first fabric and of each of Fabric::others, where they
/// have one.
std::string fabric_svg(const Fabric& fabric, const std::string& title, std::span<const std::optional<Grid>> grids = {});

}  // namespace heddle::drawing
