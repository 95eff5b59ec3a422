// The cables of a grid as lines along its rows and columns.
#pragma once

#include <vector>

#include "host/check/drawing/grid_axis.hpp"
#include "host/check/drawing/layout.hpp"

namespace heddle::drawing {

inline constexpr i32 kAround = 24;  // how far a ring reaches beyond its ends

/// Adds lines along rows; along columns x and y are exchanged.
class GridCables {
 public:
  GridCables(bool of_rows, const Axis& columns, const Axis& rows, Layout& layout)
      : of_rows_(of_rows), along_(of_rows ? columns : rows), across_(of_rows ? rows : columns), layout_(layout) {}

  /// Between neighbours on a board; where leaves are left out, only the ends of cables.
  void add_neighbours();
  /// From the last leaf of each row back to the first, along the row.
  void add_rings();
  /// From the spine of each row, which ends at `begin`, to both ends of the row on each board.
  void add_lines_to_spines(i32 begin);

 private:
  Stroke line(i32 along1, i32 across1, i32 along2, i32 across2) const {
    return of_rows_ ? Stroke{along1, across1, along2, across2} : Stroke{across1, along1, across2, along2};
  }
  /// A line through these points, given as pairs of along and across.
  void add_long(const std::vector<std::pair<i32, i32>>& points);

  bool of_rows_;
  const Axis &along_, &across_;
  Layout& layout_;
};

}  // namespace heddle::drawing
