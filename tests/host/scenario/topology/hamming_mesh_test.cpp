// Counts, cables and distances of HammingMeshes.
#include <gtest/gtest.h>

#include <string>

#include "host/check/errors/routes.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

World hamming_mesh(const std::string& dimensions) {
  return build_world(load_config_text("[topology]\nkind = \"hamming_mesh\"\n[topology.hamming_mesh]\n" + dimensions +
                                          "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
                                      "hamming_mesh.toml"));
}

/// Hoefler et al.: an Hx2Mesh of 16 x 16 boards has 1,024 accelerators of four ports; every board has two on each line.
TEST(HammingMesh, TheSmallHx2Mesh) {
  const World world = hamming_mesh("");
  const Fabric& fabric = world.fabric;
  EXPECT_EQ(fabric.endpoints, 1024u);
  std::map<Tier, u32> nodes = testing_worlds::nodes_of(world);
  EXPECT_EQ(nodes[kLeaf], 1024u);
  EXPECT_EQ(nodes[kSpine], 64u);
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n)
    EXPECT_EQ(fabric.nodes[n].ports, fabric.nodes[n].tier == kLeaf ? 1u + 4 : 2u * 16) << fabric.names[n];
}

/// Boards of 3 x 4; the first accelerator of the second board in a row is number 12.
TEST(HammingMesh, CountsBoardByBoard) {
  const World world = hamming_mesh("board_columns = 3\nboard_rows = 4\ncolumns = 5\nrows = 2\n");
  const auto hops = [&](u32 board, u32 row, u32 column) {
    return hops_between(world, 0, board * 12 + row * 3 + column);
  };
  EXPECT_EQ(hops(0, 0, 2), 2u) << "along the board, or by its spine";
  EXPECT_EQ(hops(0, 2, 1), 3u) << "down and across";
  EXPECT_EQ(hops(1, 0, 0), 2u) << "by the spine of the row";
  EXPECT_EQ(hops(1, 0, 1), 3u) << "one further";
  EXPECT_EQ(hops(5, 0, 0), 2u) << "the board below: by the spine of the column";
  EXPECT_EQ(hops(9, 0, 0), 4u) << "by both";
  EXPECT_TRUE(routing_problems(world).empty());
  EXPECT_EQ(world.fabric.nodes.back().ports, 2u * 2) << "of a column: both ends on two boards";
  EXPECT_EQ(world.fabric.nodes[world.fabric.endpoints * 2].ports, 2u * 5) << "of a row";
}

TEST(HammingMesh, CablesOfABoardAreShort) {
  const Fabric fabric = hamming_mesh("[link]\nhost_propagation = \"7 ns\"\n").fabric;
  for (const Link& link : fabric.links) {
    const bool to_spine = fabric.nodes[link.src].tier == kSpine || fabric.nodes[link.dst].tier == kSpine;
    EXPECT_EQ(link.prop_ps, to_spine ? 500'000 : 7'000);
  }
}

TEST(HammingMesh, MayDeadlock) { EXPECT_NE(buffer_dependency_cycle(hamming_mesh("columns = 2\nrows = 2\n")), ""); }

}  // namespace
}  // namespace heddle
