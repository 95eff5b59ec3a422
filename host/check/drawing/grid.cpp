#include "host/check/drawing/grid.hpp"

#include <fmt/format.h>

#include <string_view>

#include "host/scenario/topology/registry.hpp"

namespace heddle::drawing {

u32 Grid::leaf(u32 column, u32 row) const {
  const u32 board = row / rows.on_board * columns.boards + column / columns.on_board;
  const u32 row_of_board = board * rows.on_board + row % rows.on_board;
  return row_of_board * columns.on_board + column % columns.on_board;
}

std::optional<Grid> grid_of(const TopologyOptions& topology) {
  const auto number = [&](std::string_view key) { return dimension_of(topology, key); };
  if (topology.kind == "torus") return Grid{{number("columns"), 1}, {number("rows"), 1}, true};
  if (topology.kind == "hamming_mesh")
    return Grid{{number("board_columns"), number("columns")}, {number("board_rows"), number("rows")}};
  return std::nullopt;
}

std::string grid_text(const Grid& grid) {
  if (grid.rings)
    return fmt::format("torus, {} columns x {} rows of leaves, all rings", grid.columns.length(), grid.rows.length());
  return fmt::format("HammingMesh, {} x {} boards of {} x {} leaves (columns x rows)", grid.columns.boards,
                     grid.rows.boards, grid.columns.on_board, grid.rows.on_board);
}

}  // namespace heddle::drawing
