// A grid of leaves in a picture: leaves with their endpoints, boards, and the cables of rows and columns.
#pragma once

#include <string>

#include "host/check/drawing/grid.hpp"
#include "host/check/drawing/layout.hpp"
#include "host/check/drawing/summary.hpp"

namespace heddle::drawing {

/// The picture of a fabric that is a grid: tiers are texts at the left.
Layout grid_layout_of(const FabricSummary& fabric, const Grid& grid, const std::string& title);

/// Adds a grid of several fabrics below all else: its leaves are of the tier `leaves`, its spines of the next one.
void add_grid_below(const FabricSummary& fabric, const Grid& grid, Tier leaves, const std::string& name,
                    Layout& layout);

}  // namespace heddle::drawing
