// Groups, counts and capacities of fabrics, as pictures show them.
#include "host/check/drawing/summary.hpp"

#include <gtest/gtest.h>

#include "host/check/drawing/joins.hpp"
#include "tests/host/check/drawing/fabrics.hpp"

namespace heddle::drawing {
namespace {

using namespace testing_fabrics;

std::vector<u32> nodes_by_tier(const FabricSummary& summary) {
  std::vector<u32> nodes;
  for (const TierSummary& tier : summary.tiers) nodes.push_back(tier.nodes);
  return nodes;
}

/// Down to up.
double ratio(const FabricSummary& summary, size_t tier) {
  const TierSummary& t = summary.tiers[tier];
  return static_cast<double>(t.down_bits_per_s) / static_cast<double>(t.up_bits_per_s);
}

const LayerSummary& layer_above(const FabricSummary& summary, u32 low) {
  for (const LayerSummary& layer : summary.layers) {
    if (static_cast<u32>(layer.low) == low && layer.high != layer.low) return layer;
  }
  throw std::out_of_range("no layer begins at this tier");
}

TEST(FabricSummary, OfAStarIsOneSwitch) {
  const FabricSummary summary = summarise(fabric_of("kind = \"star\"\nhosts = 4\n"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{4, 1, 0, 0}));
  EXPECT_TRUE(summary.whole.parts.empty());
  ASSERT_EQ(summary.whole.nodes.size(), 2u);
  EXPECT_EQ(summary.whole.nodes[1].cabling, (std::vector<Cabling>{{Tier::endpoint, 400 * kGigabit, 4}}));
}

TEST(FabricSummary, OfSeveralFabricsHasAGroupForEach) {
  const FabricSummary summary =
      summarise(build_world("[topology]\nkind = \"ai_zone\"\nracks = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
                            "[[fabric]]\nname = \"frontend\"\n[fabric.topology]\nkind = \"star\"\nhosts = 5\n"
                            "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
                            "test.toml")
                    .fabric);
  ASSERT_EQ(summary.whole.parts.size(), 2u);
  EXPECT_EQ(summary.whole.parts[0].name, "GPUs");
  EXPECT_EQ(summary.whole.parts[1].name, "frontend");
  ASSERT_EQ(summary.whole.parts[1].nodes.size(), 2u);
  EXPECT_EQ(summary.whole.parts[1].nodes[0].nodes, 5u);
  EXPECT_EQ(summary.tiers[4].info.name, "frontend.rtsw");
}

TEST(FabricSummary, OfAZoneHasNoGroups) {
  const FabricSummary summary = summarise(fabric_of_file("configs/zone_quickstart.toml"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{512, 32, 18, 0}));
  EXPECT_TRUE(summary.whole.parts.empty());
  EXPECT_EQ(summary.whole.nodes.size(), 3u);
  EXPECT_DOUBLE_EQ(ratio(summary, 1), 16.0 / 18);
  const LayerSummary& layer = layer_above(summary, 1);
  EXPECT_EQ(layer.cables, 576u);
  EXPECT_EQ(layer.neighbours, (Range{18, 18}));
  EXPECT_EQ(layer.reach, (Range{18, 18}));
  EXPECT_EQ(layer.cables_per_pair, (Range{1, 1}));
}

TEST(FabricSummary, OfSeveralZonesHasThemBelowTheirAtsws) {
  const FabricSummary summary = summarise(fabric_of_file("configs/meta_24k.toml"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{24576, 1536, 144, 28}));
  ASSERT_EQ(summary.whole.parts.size(), 8u);
  EXPECT_EQ(summary.whole.parts[7].noun, "zone");
  EXPECT_EQ(summary.whole.parts[7].number, 7u);
  EXPECT_TRUE(alike(summary.whole.parts[0], summary.whole.parts[7]));
  ASSERT_EQ(summary.whole.nodes.size(), 1u);
  EXPECT_EQ(summary.whole.nodes[0].nodes, 28u);
  EXPECT_EQ(summary.whole.parts[0].nodes[1].nodes, 192u);
  EXPECT_DOUBLE_EQ(ratio(summary, 2), 192.0 / 28);
  EXPECT_EQ(layer_above(summary, 1).scope, "zone");
  EXPECT_EQ(layer_above(summary, 2).scope, "");
}

TEST(FabricSummary, OfAFatTreeHasPodsWhoseSpinesReachSomeCores) {
  const FabricSummary summary = summarise(fabric_of_file("configs/fat_tree.toml"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{1024, 128, 128, 64}));
  ASSERT_EQ(summary.whole.parts.size(), 16u);
  EXPECT_EQ(summary.whole.parts[0].noun, "pod");
  EXPECT_DOUBLE_EQ(ratio(summary, 2), 1);
  EXPECT_EQ(layer_above(summary, 2).neighbours, (Range{8, 8}));
  EXPECT_EQ(layer_above(summary, 2).reach, (Range{64, 64}));
  EXPECT_EQ(layer_above(summary, 1).reach, (Range{8, 8}));
}

TEST(FabricSummary, OfRailsHasUnits) {
  const FabricSummary summary = summarise(fabric_of_file("configs/superpod.toml"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{1024, 32, 16, 0}));
  ASSERT_EQ(summary.whole.parts.size(), 4u);
  EXPECT_EQ(summary.whole.parts[0].noun, "unit");
  EXPECT_EQ(summary.whole.parts[0].nodes[1].nodes, 8u);
  EXPECT_EQ(layer_above(summary, 1).cables_per_pair, (Range{2, 2}));
  EXPECT_EQ(summary.switches_per_server, (Range{8, 8}));
}

TEST(FabricSummary, OfRailsInPodsHasUnitsInPods) {
  const FabricSummary summary = summarise(
      fabric_of("kind = \"rail_optimised\"\n[topology.rail_optimised]\npods = 2\nunits = 3\nservers = 4\nrails = 2\n"
                "spines = 2\nuplinks_per_leaf = 4\nuplinks_per_spine = 2\ncores = 4\n"));
  ASSERT_EQ(summary.whole.parts.size(), 2u);
  EXPECT_EQ(summary.whole.parts[1].noun, "pod");
  ASSERT_EQ(summary.whole.parts[1].parts.size(), 3u);
  EXPECT_EQ(summary.whole.parts[1].parts[2].noun, "unit");
  EXPECT_EQ(summary.whole.parts[1].parts[2].number, 2u);
  EXPECT_EQ(summary.whole.parts[1].parts[2].nodes[0].nodes, 8u);
}

TEST(FabricSummary, OfADragonflyHasGroups) {
  const FabricSummary summary = summarise(
      fabric_of("kind = \"dragonfly_plus\"\n[topology.dragonfly_plus]\ngroups = 3\nleaves = 2\ngpus_per_leaf = 2\n"
                "spines = 2\nuplinks_per_leaf = 2\nglobal_links_per_spine = 2\n"));
  ASSERT_EQ(summary.whole.parts.size(), 3u);
  EXPECT_EQ(summary.whole.parts[0].noun, "group");
  const GroupJoins& joins = summary.layers.back().joins;
  EXPECT_EQ(joins.noun, "group");
  EXPECT_EQ(joins.neighbours, (Range{2, 2}));
  EXPECT_EQ(joins.others, (Range{2, 2}));
  EXPECT_EQ(joins.cables_per_pair, (Range{2, 2}));
  EXPECT_TRUE(is_all_to_all(joins));
}

// Each plane has groups of its own.
TEST(FabricSummary, OfADragonflyOfPlanesJoinsTheGroupsOfAPlane) {
  const FabricSummary summary =
      summarise(fabric_of("kind = \"dragonfly_plus\"\n[topology.dragonfly_plus]\nplanes = 2\ngroups = 5\nleaves = 2\n"
                          "gpus_per_leaf = 2\nspines = 2\nuplinks_per_leaf = 2\nglobal_links_per_spine = 2\n"));
  ASSERT_EQ(summary.whole.parts.size(), 2u);
  ASSERT_EQ(summary.whole.parts[1].parts.size(), 5u);
  const GroupJoins& joins = summary.layers.back().joins;
  EXPECT_EQ(joins.others, (Range{4, 4}));
  EXPECT_EQ(joins.neighbours, (Range{4, 4}));
  EXPECT_EQ(joins.cables_per_pair, (Range{1, 1}));
}

TEST(FabricSummary, OfATorusJoinsNoGroups) {
  const FabricSummary summary = summarise(fabric_of("kind = \"torus\"\n"));
  EXPECT_EQ(summary.layers.back().joins.noun, "");
  EXPECT_FALSE(is_all_to_all(summary.layers.back().joins));
}

// Groups in a row: the middle ones have two neighbours.
TEST(FabricSummary, SaysWhereGroupsAreNotJoinedWithAll) {
  Fabric fabric = fabric_by_hand({0, 1, 1, 1, 2, 2, 2}, {{0, 1}, {1, 4}, {2, 5}, {3, 6}, {4, 5}, {5, 6}, {5, 6}});
  for (u32 group = 0; group < 3; ++group) fabric.nodes[1 + group].zone = fabric.nodes[4 + group].zone = group;
  const GroupJoins joins = summarise(fabric).layers.back().joins;
  EXPECT_EQ(joins.neighbours, (Range{1, 2}));
  EXPECT_EQ(joins.others, (Range{2, 2}));
  EXPECT_EQ(joins.cables_per_pair, (Range{1, 2}));
  EXPECT_FALSE(is_all_to_all(joins));
}

TEST(FabricSummary, OfAnImportedFabricHasNoGroups) {
  const FabricSummary summary = summarise(fabric_of_file("configs/imports/simai_topology.toml"));
  EXPECT_EQ(nodes_by_tier(summary), (std::vector<u32>{16, 8, 2, 0}));
  EXPECT_TRUE(summary.whole.parts.empty());
  EXPECT_DOUBLE_EQ(ratio(summary, 1), 0.5);
}

// 8 uplinks of each of 5 racks on 6 CTSWs: four of these have one cable more.
TEST(FabricSummary, KeepsNodesWithOtherNumbersOfCablesApart) {
  const FabricSummary summary =
      summarise(fabric_of("kind = \"ai_zone\"\nracks = 5\ngpus_per_rack = 4\nctsws = 6\nuplinks_per_rtsw = 8\n"));
  ASSERT_EQ(summary.whole.nodes.size(), 4u);
  EXPECT_EQ(summary.whole.nodes[2].nodes, 4u);
  EXPECT_EQ(summary.whole.nodes[2].cabling[0].cables, 7u);
  EXPECT_EQ(summary.whole.nodes[3].nodes, 2u);
  EXPECT_EQ(layer_above(summary, 1).cables_per_pair, (Range{1, 2}));
}

TEST(FabricSummary, FindsPlanesAndLeavesEndpointsOfSeveralPlanesOutOfThem) {
  const FabricSummary summary = summarise(planes_of_rails(2));
  ASSERT_EQ(summary.whole.parts.size(), 2u);
  const Group& plane = summary.whole.parts[1];
  EXPECT_EQ(plane.noun, "plane");
  ASSERT_EQ(plane.parts.size(), 2u);
  EXPECT_EQ(plane.parts[0].noun, "unit");
  ASSERT_EQ(plane.parts[0].nodes.size(), 1u);
  EXPECT_EQ(plane.parts[0].nodes[0].nodes, 4u);
  ASSERT_EQ(summary.whole.nodes.size(), 1u);
  EXPECT_EQ(summary.whole.nodes[0].nodes, 32u);
  EXPECT_EQ(summary.whole.nodes[0].cabling, (std::vector<Cabling>{{Tier{1}, 200 * kGigabit, 2}}));
  EXPECT_EQ(summary.switches_per_server, (Range{8, 8}));
}

TEST(FabricSummary, KeepsEndpointsOfOnePlaneInIt) {
  const FabricSummary summary = summarise(fabric_by_hand({0, 0, 1, 1}, {{0, 2}, {1, 3}}));
  ASSERT_EQ(summary.whole.parts.size(), 2u);
  EXPECT_EQ(summary.whole.parts[0].nodes.size(), 2u);
  EXPECT_TRUE(summary.whole.nodes.empty());
}

}  // namespace
}  // namespace heddle::drawing
