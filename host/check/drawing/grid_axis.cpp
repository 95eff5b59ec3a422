#include "host/check/drawing/grid_axis.hpp"

namespace heddle::drawing {
namespace {

constexpr u32 kMaxOnOnlyBoard = 6, kMaxOnBoard = 3;
constexpr u32 kMaxBoards = 3, kMaxSmallBoards = 4;  // small: of two leaves

/// Calls see(i, hidden) for `count` things, of which `max` have room; `hidden` are left out before i, in the room of
/// one.
template <class See>
void for_each_shown(u32 count, u32 max, const See& see) {
  const bool all = count <= max;
  const u32 first = all ? count : max / 2, last = all ? 0 : max - 1 - first;
  for (u32 i = 0; i < first; ++i) see(i, 0u);
  for (u32 i = count - last; i < count; ++i) see(i, i == count - last ? count - last - first : 0u);
}

}  // namespace

Axis axis_of(const GridSide& side, const AxisSizes& sizes, i32 begin) {
  const u32 max_on_board = side.boards == 1 ? kMaxOnOnlyBoard : kMaxOnBoard;
  Axis axis;
  i32 at = begin;
  const auto leave_out = [&](u32 hidden, bool of_boards) {
    axis.gaps.push_back({at, at + sizes.gap, hidden, of_boards});
    at += sizes.gap;
  };
  for_each_shown(side.boards, side.on_board < kMaxOnBoard ? kMaxSmallBoards : kMaxBoards, [&](u32 board, u32 hidden) {
    if (hidden > 0) {
      leave_out(hidden, true);
    } else if (board > 0) {
      at += sizes.between_boards;
    }
    axis.boards.push_back({board, at, at});
    at += sizes.before;
    for_each_shown(side.on_board, max_on_board, [&](u32 leaf, u32 hidden_leaves) {
      if (hidden_leaves > 0) {
        leave_out(hidden_leaves, false);
      } else if (leaf > 0) {
        at += sizes.between_leaves;
      }
      axis.lanes.push_back({board * side.on_board + leaf, at, at + sizes.leaf, leaf == 0, leaf + 1 == side.on_board});
      at += sizes.leaf;
    });
    at += sizes.after;
    axis.boards.back().end = at;
  });
  axis.end = at;
  return axis;
}

}  // namespace heddle::drawing
