// The words of pictures.
#include "host/check/drawing/words.hpp"

#include <gtest/gtest.h>

#include "tests/host/check/drawing/fabrics.hpp"

namespace heddle::drawing {
namespace {

using namespace testing_fabrics;
using Lines = std::vector<std::string>;

TEST(PictureWords, OfCounts) {
  EXPECT_EQ(count_text(7), "7");
  EXPECT_EQ(count_text(512), "512");
  EXPECT_EQ(count_text(1088), "1,088");
  EXPECT_EQ(count_text(131072), "131,072");
  EXPECT_EQ(count_text(1234567), "1,234,567");
}

TEST(PictureWords, OfAZone) {
  const FabricSummary zone = summarise(fabric_of_file("configs/zone_quickstart.toml"));
  EXPECT_EQ(sizes_text(zone), "512 endpoints, 50 switches, 1,088 cables");
  EXPECT_EQ(tier_text(zone, Tier{1}), (Lines{"32 RTSWs", "204.8 Tb/s down, 230.4 Tb/s up", "down : up = 1 : 1.125"}));
  EXPECT_EQ(tier_text(zone, Tier{2}), (Lines{"18 CTSWs", "230.4 Tb/s down"}));
  EXPECT_EQ(layer_text(zone, zone.layers[1]), (Lines{"576 cables of 400G", "each RTSW to each of 18 CTSWs"}));
  const BoxText box = box_text(zone, {&zone.whole.nodes[1], 1});
  EXPECT_EQ(box.lines, (Lines{"18 x 400G up", "32 RTSWs", "16 x 400G down"}));
  EXPECT_EQ(box.bold, 1u);
}

TEST(PictureWords, OfGroups) {
  const FabricSummary meta = summarise(fabric_of_file("configs/meta_24k.toml"));
  EXPECT_EQ(sizes_text(meta), "24,576 endpoints, 1,708 switches, 56,256 cables; 8 zones");
  EXPECT_EQ(tier_text(meta, Tier{2}), (Lines{"144 CTSWs", "11.06 Pb/s down, 1.613 Pb/s up", "down : up = 6.857 : 1"}));
  EXPECT_TRUE(is_oversubscribed(meta.tiers[2]));
  EXPECT_FALSE(is_oversubscribed(meta.tiers[1]));
  EXPECT_EQ(layer_text(meta, meta.layers[1])[2], "of its zone");
  EXPECT_EQ(hidden_text(meta.whole, 2), (Lines{"5 more", "like these"}));
  EXPECT_EQ(hidden_text(meta.whole, 1), (Lines{"6 more", "alike"}));
}

TEST(PictureWords, OfRails) {
  const FabricSummary rails = summarise(fabric_of_file("configs/superpod.toml"));
  EXPECT_EQ(layer_text(rails, rails.layers[0]), (Lines{"1,024 cables of 400G", "each server: 8 NICs to 8 leaves"}));
  EXPECT_EQ(layer_text(rails, rails.layers[1]),
            (Lines{"1,024 cables of 400G", "each leaf to each of 16 spines", "by 2 cables"}));
  const FabricSummary planes = summarise(planes_of_rails(2));
  EXPECT_EQ(layer_text(planes, planes.layers[0]),
            (Lines{"64 cables of 200G", "each server: 4 NICs to 8 leaves", "each endpoint to 2 leaves"}));
  EXPECT_EQ(sizes_text(planes), "32 endpoints, 20 switches, 96 cables; 2 planes of 2 units");
}

TEST(PictureWords, OfATorusAndADragonfly) {
  const FabricSummary torus =
      summarise(fabric_of("kind = \"torus\"\n[topology.torus]\ncolumns = 2\nrows = 4\ncables_per_neighbour = 3\n"));
  EXPECT_EQ(layer_text(torus, torus.layers[1]),
            (Lines{"36 cables of 400G between leaves", "each leaf to 3 others", "by 3 cables"}));
  const FabricSummary dragonfly = summarise(fabric_of("kind = \"dragonfly_plus\"\n"));
  EXPECT_EQ(layer_text(dragonfly, dragonfly.layers[2]),
            (Lines{"2,560 cables of 400G between spines", "each group to each of 4 others", "by 256 cables"}));
}

TEST(PictureWords, OfPartsThatDiffer) {
  FabricSummary summary = summarise(planes_of_rails(4));
  summary.whole.parts[2].parts.pop_back();
  EXPECT_EQ(hidden_text(summary.whole, 2), (Lines{"1 more", "not all alike"}));
  EXPECT_EQ(sizes_text(summary), "32 endpoints, 40 switches, 192 cables; 4 planes");
}

// Two leaves, one with cables of two rates, and a cable between the spines.
TEST(PictureWords, OfSeveralRatesAndRanges) {
  const u64 g = kGigabit;
  const FabricSummary summary = summarise(fabric_by_hand(
      {0, 0, 1, 1, 2, 2}, {{0, 2}, {1, 3}, {2, 4, 100 * g}, {2, 5, 400 * g}, {3, 4, 100 * g}, {4, 5, 100 * g}}));
  EXPECT_EQ(box_text(summary, {&summary.whole.nodes[1], 1}).lines,
            (Lines{"1 x 100G + 1 x 400G up", "1 leaf", "1 x 400G down"}));
  EXPECT_EQ(box_text(summary, {&summary.whole.nodes[1], 2}).lines,
            (Lines{"1 x 100G + 0 to 1 x 400G up", "2 leaves", "1 x 400G down"}));
  EXPECT_EQ(layer_text(summary, summary.layers[1]),
            (Lines{"3 cables: 2 of 100G, 1 of 400G", "each leaf to 1 to 2 of 2 spines"}));
  EXPECT_EQ(layer_text(summary, summary.layers[2]), (Lines{"1 cable of 100G between spines", "each spine to 1 other"}));
  EXPECT_EQ(tier_text(summary, Tier{2})[1], "600 Gb/s down, 200 Gb/s across");
}

TEST(PictureWords, OfManyRatesAreARange) {
  const u64 g = kGigabit;
  const FabricSummary summary =
      summarise(fabric_by_hand({0, 1, 2, 2, 2}, {{0, 1}, {1, 2, 100 * g}, {1, 3, 200 * g}, {1, 4, 1600 * g}}));
  EXPECT_EQ(box_text(summary, {&summary.whole.nodes[1], 1}).lines[0], "3 x 100G to 1.6T up");
  EXPECT_EQ(layer_text(summary, summary.layers[1])[0], "3 cables of 100G to 1.6T");
}

TEST(PictureWords, DescribeAllForThoseWhoDoNotSeeIt) {
  EXPECT_EQ(description_text(summarise(fabric_of("kind = \"star\"\nhosts = 4\n"))),
            "4 endpoints, 1 switch, 4 cables. 1 RTSW, 1.6 Tb/s down. 4 cables of 400G. 4 endpoints, 1.6 Tb/s up.");
}

}  // namespace
}  // namespace heddle::drawing
