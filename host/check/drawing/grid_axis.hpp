// Which columns, or rows, of a grid are drawn, and where along their direction.
#pragma once

#include <vector>

#include "host/check/drawing/grid.hpp"
#include "kernels/base/types.hpp"

namespace heddle::drawing {

/// In pixels. `before` and `after`: between the edge of a board and its leaves.
struct AxisSizes {
  i32 leaf, between_leaves, before, after, between_boards, gap;
};

/// A column or a row of leaves that is drawn.
struct Lane {
  u32 index = 0;
  i32 begin = 0, end = 0;
  bool first_on_board = false, last_on_board = false;
  i32 middle() const { return (begin + end) / 2; }
};

struct BoardSpan {
  u32 index = 0;
  i32 begin = 0, end = 0;
};

/// In place of what is left out.
struct Gap {
  i32 begin = 0, end = 0;
  u32 hidden = 0;
  bool of_boards = false;
  i32 middle() const { return (begin + end) / 2; }
};

struct Axis {
  std::vector<Lane> lanes;
  std::vector<BoardSpan> boards;
  std::vector<Gap> gaps;
  i32 end = 0;
};

/// The first and the last ones of many boards, and of many leaves of each.
Axis axis_of(const GridSide& side, const AxisSizes& sizes, i32 begin);

}  // namespace heddle::drawing
