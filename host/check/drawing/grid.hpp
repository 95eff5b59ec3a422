// Leaves in rows and columns: those of a torus, or of the boards of a HammingMesh.
#pragma once

#include <optional>
#include <string>

#include "host/scenario/topology/options.hpp"
#include "kernels/base/types.hpp"

namespace heddle::drawing {

/// Leaves along a row or a column.
struct GridSide {
  u32 on_board = 1, boards = 1;
  u32 length() const { return on_board * boards; }
};

/// `rings`: a torus, one board whose rows and columns are rings. Else a spine for each row and each column of leaves
/// joins its ends on every board; the spines of rows come first.
struct Grid {
  GridSide columns, rows;
  bool rings = false;

  u32 leaf(u32 column, u32 row) const;
  u32 spine_of_row(u32 row) const { return row; }
  u32 spine_of_column(u32 column) const { return rows.length() + column; }
};

/// None for topologies whose leaves are in no rows and columns.
std::optional<Grid> grid_of(const TopologyOptions& topology);

/// "torus, 4 columns x 8 rows of leaves, all rings".
std::string grid_text(const Grid& grid);

}  // namespace heddle::drawing
