// Port counts and cables of tori, the paths around their rings, and the deadlocks that these allow.
#include <gtest/gtest.h>

#include <string>

#include "host/check/errors/routes.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

World torus(u32 columns, u32 rows, const std::string& more = "") {
  return build_world(load_config_text(
      "[topology]\nkind = \"torus\"\n[topology.torus]\ncolumns = " + std::to_string(columns) +
          "\nrows = " + std::to_string(rows) + "\n" + more + "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
      "torus.toml"));
}

/// The least and the most ports that switches have.
std::pair<u32, u32> ports_of_switches(const World& world) {
  std::pair<u32, u32> ports{~0u, 0};
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n) {
    ports.first = std::min(ports.first, world.fabric.nodes[n].ports);
    ports.second = std::max(ports.second, world.fabric.nodes[n].ports);
  }
  return ports;
}

TEST(Torus, EverySwitchHasFourNeighbours) {
  const World world = torus(5, 3, "gpus_per_leaf = 2\ncables_per_neighbour = 3\n");
  EXPECT_EQ(world.fabric.endpoints, 30u);
  EXPECT_EQ(testing_worlds::nodes_of(world).at(kLeaf), 15u);
  EXPECT_EQ(ports_of_switches(world), std::pair(2u + 4 * 3, 2u + 4 * 3));
  EXPECT_EQ(world.fabric.links.size(), 2u * (30 + 2 * 15 * 3));
}

/// GPU e is on leaf e, in row e / 6 and column e % 6.
TEST(Torus, RingsAreClosed) {
  const World world = torus(6, 4);
  const auto hops = [&](u32 row, u32 column) { return hops_between(world, 0, row * 6 + column); };
  EXPECT_EQ(hops(0, 1), 1u);
  EXPECT_EQ(hops(0, 5), 1u);
  EXPECT_EQ(hops(0, 3), 3u);
  EXPECT_EQ(hops(3, 0), 1u);
  EXPECT_EQ(hops(2, 3), 5u);
  EXPECT_EQ(hops(3, 5), 2u);
  EXPECT_TRUE(routing_problems(world).empty());
}

/// Two neighbours that are one have one bundle of cables; a side of one makes a ring.
TEST(Torus, OfShortSides) {
  EXPECT_EQ(ports_of_switches(torus(2, 2)), std::pair(3u, 3u));
  EXPECT_EQ(ports_of_switches(torus(1, 2)), std::pair(2u, 2u));
  EXPECT_EQ(ports_of_switches(torus(1, 7)), std::pair(3u, 3u));
}

TEST(Torus, MayDeadlock) {
  EXPECT_NE(buffer_dependency_cycle(torus(1, 4)), "") << "around a ring";
  EXPECT_NE(buffer_dependency_cycle(torus(3, 3)), "") << "around a square";
  EXPECT_EQ(buffer_dependency_cycle(torus(1, 3)), "") << "no packet crosses two cables";
  EXPECT_EQ(buffer_dependency_cycle(torus(3, 3, "[class.lossless]\npfc = false\nlimit = \"1 MB\"\n")), "");
}

TEST(Torus, SaysWhatIsTooLarge) {
  const auto refusal = [](u32 columns, u32 rows, const std::string& more) {
    return testing_worlds::config_error_of([&] { torus(columns, rows, more); });
  };
  EXPECT_NE(refusal(4096, 4096, "").find("16777216 leaves x 1 hosts"), std::string::npos);
  EXPECT_NE(refusal(512, 512, "").find("more routes than can be held"), std::string::npos);
}

}  // namespace
}  // namespace heddle
