// Port counts and cables of fat trees, by radix and by their dimensions; and dimensions that no fat tree has.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using testing_worlds::nodes_of;

World fat_tree(const std::string& dimensions, const std::string& more = "") {
  return build_world(load_config_text("[topology]\nkind = \"fat_tree\"\n[topology.fat_tree]\n" + dimensions + more +
                                          "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
                                      "fat_tree.toml"));
}

std::string problem_of_tree(const std::string& dimensions) {
  try {
    fat_tree(dimensions);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

NodeId neighbour(const World& world, const std::string& name, u32 port) {
  for (NodeId n = 0; n < world.fabric.nodes.size(); ++n)
    if (world.fabric.names[n] == name) return world.fabric.links[world.fabric.nodes[n].first_link + port].dst;
  return kNone;
}

/// Al-Fares et al.: k^3 / 4 hosts, k^2 / 2 leaves and spines each, k^2 / 4 cores, all of k ports.
TEST(FatTree, OfRadixK) {
  for (const u32 k : {4u, 8u, 16u}) {
    const World world = fat_tree("radix = " + std::to_string(k) + "\n");
    const std::map<Tier, u32> nodes = nodes_of(world);
    EXPECT_EQ(world.fabric.endpoints, k * k * k / 4);
    EXPECT_EQ(nodes.at(kLeaf), k * k / 2);
    EXPECT_EQ(nodes.at(kSpine), k * k / 2);
    EXPECT_EQ(nodes.at(kCore), k * k / 4);
    for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n)
      EXPECT_EQ(world.fabric.nodes[n].ports, k) << world.fabric.names[n];
  }
}

/// Spine j of every pod leads to cores j * k/2, j * k/2 + 1, ...
TEST(FatTree, SpinesOfAPlaceShareTheirCores) {
  const World world = fat_tree("radix = 8\n");
  const auto name = [&](NodeId n) { return world.fabric.names[n]; };
  for (const u32 pod : {0u, 5u}) {
    const std::string spine = "spine" + std::to_string(4 * pod + 1);
    EXPECT_EQ(name(neighbour(world, spine, 0)), "leaf" + std::to_string(4 * pod));
    for (const u32 up : {0u, 1u, 3u}) EXPECT_EQ(name(neighbour(world, spine, 4 + up)), "core" + std::to_string(4 + up));
  }
}

TEST(FatTree, HasParallelCablesAndFewerUplinks) {
  const World world = fat_tree(
      "pods = 3\nleaves = 2\ngpus_per_leaf = 6\nspines = 2\nuplinks_per_leaf = 4\ncores = 1\nuplinks_per_spine = 1\n");
  EXPECT_EQ(world.fabric.endpoints, 36u);
  EXPECT_EQ(world.fabric.nodes[world.fabric.endpoints].ports, 6u + 4);          // a leaf
  EXPECT_EQ(world.fabric.nodes[world.fabric.endpoints + 6].ports, 2u * 2 + 1);  // a spine: two cables to each leaf
  EXPECT_EQ(world.fabric.nodes.back().ports, 3u * 2);                           // the core: one to each spine
}

TEST(FatTree, OnePodHasNoCores) {
  const World world = fat_tree("pods = 1\nleaves = 2\ngpus_per_leaf = 4\nspines = 2\nuplinks_per_leaf = 2\n");
  EXPECT_FALSE(nodes_of(world).contains(kCore));
  EXPECT_EQ(world.fabric.nodes.back().ports, 2u);
}

TEST(FatTree, TakesRatesLatenciesPoliciesAndMemoriesByTier) {
  const World world = fat_tree("radix = 4\n", R"([layer.spine_core]
rate = "800 Gb/s"
propagation = "2 us"
[tier.core]
ingress = "3 us"
egress = "4 us"
policy = "spray"
ecn = false
[tier.core.buffer]
kind = "static"
bytes = "9 MB"
[roce]
recovery = "selective_repeat"
)");
  const Fabric& f = world.fabric;
  const Link& down = f.links[f.nodes.back().first_link];  // core -> spine
  const Link& up = f.links[down.reverse];
  EXPECT_EQ(up.ps_per_byte_q16, 10u << 16);
  EXPECT_EQ(down.lambda_ps, 4'000'000 + 2'000'000 + 600'000);
  EXPECT_EQ(up.lambda_ps, 0 + 2'000'000 + 3'000'000);
  EXPECT_EQ(down.ecn, kNone);
  EXPECT_NE(up.ecn, kNone);
  EXPECT_FALSE(f.ingress[up.ingress].dynamic);
  EXPECT_TRUE(f.ingress[down.ingress].dynamic);
  EXPECT_EQ(world.routing.policy_of(f.nodes.back()), "spray");
  EXPECT_EQ(world.routing.policy_of(f.nodes[f.endpoints]), "ecmp");
}

TEST(FatTree, SaysWhatCannotBeBuilt) {
  EXPECT_NE(problem_of_tree("radix = 7\n").find("topology.fat_tree.radix = 7: half of"), std::string::npos);
  EXPECT_NE(problem_of_tree("radix = 2\n").find("take 4"), std::string::npos);
  EXPECT_NE(problem_of_tree("radix = 4\npods = 7\n").find("topology.fat_tree.pods would have no effect, as radix = 4"),
            std::string::npos);
  EXPECT_NE(problem_of_tree("spines = 5\n")
                .find("topology.fat_tree.uplinks_per_leaf = 32: they cannot be divided evenly over 5"),
            std::string::npos);
  EXPECT_NE(problem_of_tree("cores = 1000\n").find("topology.fat_tree.cores = 1000: the 1024 uplinks of a pod"),
            std::string::npos);
  EXPECT_NE(problem_of_tree("pods = 4096\nleaves = 4096\n").find("ports of NICs, but a packet can address"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
