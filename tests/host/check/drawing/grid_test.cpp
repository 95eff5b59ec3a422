// Leaves in rows and columns: numbers that are those of the fabric, and which of many are drawn.
#include "host/check/drawing/grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/check/drawing/grid_axis.hpp"
#include "host/check/drawing/levels.hpp"
#include "tests/host/check/drawing/fabrics.hpp"

namespace heddle::drawing {
namespace {

using namespace testing_fabrics;

Grid grid_of_section(const std::string& topology) {
  return grid_of(load_config_text("[topology]\n" + topology, "test.toml").fabric.topology).value();
}

NodeId node_of(const Fabric& fabric, const std::string& name) {
  return static_cast<NodeId>(std::ranges::find(fabric.names, name) - fabric.names.begin());
}

NodeId leaf(const Fabric& fabric, const Grid& grid, u32 column, u32 row) {
  return node_of(fabric, fmt::format("leaf{}", grid.leaf(column, row)));
}

size_t cables_between(const Fabric& fabric, NodeId a, NodeId b) {
  return static_cast<size_t>(std::ranges::count(links_of(fabric, a), b, &Link::dst));
}

TEST(PictureGrid, NumbersTheLeavesOfATorusAsTheFabricDoes) {
  const std::string topology = "kind = \"torus\"\n[topology.torus]\ncolumns = 5\nrows = 3\n";
  const Fabric fabric = fabric_of(topology);
  const Grid grid = grid_of_section(topology);
  EXPECT_TRUE(grid.rings);
  for (u32 row = 0; row < 3; ++row) {
    for (u32 column = 0; column < 5; ++column) {
      const NodeId here = leaf(fabric, grid, column, row);
      EXPECT_EQ(cables_between(fabric, here, leaf(fabric, grid, (column + 1) % 5, row)), 1u);
      EXPECT_EQ(cables_between(fabric, here, leaf(fabric, grid, column, (row + 1) % 3)), 1u);
    }
  }
}

TEST(PictureGrid, NumbersTheLeavesAndSpinesOfAHammingMeshAsTheFabricDoes) {
  const std::string topology =
      "kind = \"hamming_mesh\"\n[topology.hamming_mesh]\nboard_columns = 3\nboard_rows = 2\ncolumns = 4\nrows = 5\n";
  const Fabric fabric = fabric_of(topology);
  const Grid grid = grid_of_section(topology);
  EXPECT_FALSE(grid.rings);
  for (u32 row = 0; row < 10; ++row) {
    for (u32 column = 0; column < 12; ++column) {
      const NodeId here = leaf(fabric, grid, column, row);
      const NodeId of_row = node_of(fabric, fmt::format("spine{}", grid.spine_of_row(row)));
      const NodeId of_column = node_of(fabric, fmt::format("spine{}", grid.spine_of_column(column)));
      EXPECT_EQ(cables_between(fabric, here, of_row), column % 3 == 1 ? 0u : 1u);
      EXPECT_EQ(cables_between(fabric, here, of_column), 1u);
      if (column % 3 != 2) {
        EXPECT_EQ(cables_between(fabric, here, leaf(fabric, grid, column + 1, row)), 1u);
      }
      if (row % 2 == 0) {
        EXPECT_EQ(cables_between(fabric, here, leaf(fabric, grid, column, row + 1)), 1u);
      }
    }
  }
}

TEST(PictureGrid, OfOtherTopologiesThereIsNone) {
  EXPECT_FALSE(grid_of(load_config_text("[topology]\nkind = \"fat_tree\"\n", "test.toml").fabric.topology));
}

std::vector<u32> indices(const Axis& axis) {
  std::vector<u32> indices;
  for (const Lane& lane : axis.lanes) indices.push_back(lane.index);
  return indices;
}

constexpr AxisSizes kSizes{10, 4, 3, 2, 5, 20};

TEST(PictureGridAxis, ShowsAllOfAFewRows) {
  const Axis axis = axis_of({6, 1}, kSizes, 100);
  EXPECT_EQ(indices(axis), (std::vector<u32>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(axis.gaps.empty());
  EXPECT_EQ(axis.lanes[1].begin, 100 + 3 + 10 + 4);
  EXPECT_EQ(axis.end, 100 + 3 + 6 * 10 + 5 * 4 + 2);
}

TEST(PictureGridAxis, LeavesTheMiddleOfManyRowsOut) {
  const Axis axis = axis_of({4096, 1}, kSizes, 0);
  EXPECT_EQ(indices(axis), (std::vector<u32>{0, 1, 2, 4094, 4095}));
  ASSERT_EQ(axis.gaps.size(), 1u);
  EXPECT_EQ(axis.gaps[0].hidden, 4091u);
  EXPECT_FALSE(axis.gaps[0].of_boards);
  EXPECT_EQ(axis.gaps[0].begin, axis.lanes[2].end);
  EXPECT_EQ(axis.gaps[0].end, axis.lanes[3].begin);
}

TEST(PictureGridAxis, LeavesBoardsAndLeavesOfBoardsOut) {
  const Axis axis = axis_of({5, 9}, kSizes, 0);
  EXPECT_EQ(indices(axis), (std::vector<u32>{0, 4, 40, 44}));
  ASSERT_EQ(axis.boards.size(), 2u);
  EXPECT_EQ(axis.boards[1].index, 8u);
  ASSERT_EQ(axis.gaps.size(), 3u);
  EXPECT_EQ(axis.gaps[0].hidden, 3u);
  EXPECT_EQ(axis.gaps[1].hidden, 7u);
  EXPECT_TRUE(axis.gaps[1].of_boards);
  EXPECT_TRUE(axis.lanes[0].first_on_board && !axis.lanes[0].last_on_board);
  EXPECT_TRUE(axis.lanes[1].last_on_board && !axis.lanes[1].first_on_board);
}

}  // namespace
}  // namespace heddle::drawing
