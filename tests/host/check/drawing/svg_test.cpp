// The text of pictures. tests/host/cli/draw_test.py reads them as XML.
#include "host/check/drawing/svg.hpp"

#include <gtest/gtest.h>

#include "tests/host/check/drawing/fabrics.hpp"

namespace heddle::drawing {
namespace {

using namespace testing_fabrics;

TEST(Svg, IsTheSameEachTime) {
  const Fabric fabric = planes_of_rails(2);
  EXPECT_EQ(fabric_svg(fabric, "planes"), fabric_svg(fabric, "planes"));
}

TEST(Svg, EscapesTheTitle) {
  const std::string svg = fabric_svg(fabric_of("kind = \"star\"\nhosts = 2\n"), "<a> & \x01");
  EXPECT_TRUE(svg.starts_with(kSvgMark));
  EXPECT_NE(svg.find("<title>The fabric of &lt;a&gt; &amp; \\x01</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<desc>2 endpoints, 1 switch"), std::string::npos) << svg;
}

// A fabric of 65,536 endpoints takes no more than one of 2,048.
TEST(Svg, OfALargeFabricIsSmall) {
  const Fabric fabric = fabric_of(
      "kind = \"fat_tree\"\n[topology.fat_tree]\npods = 32\nleaves = 32\ngpus_per_leaf = 64\nspines = 32\n"
      "uplinks_per_leaf = 64\nuplinks_per_spine = 16\ncores = 512\n");
  EXPECT_EQ(fabric.endpoints, 65536u);
  EXPECT_LT(fabric_svg(fabric, "large").size(), 15'000u);
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Of 40 x 24 leaves as many are drawn as of 7 x 7.
TEST(Svg, OfALargeTorusIsSmall) {
  const std::string topology = "kind = \"torus\"\n[topology.torus]\ncolumns = 40\nrows = 24\n";
  const std::vector<std::optional<Grid>> grids{Grid{{40, 1}, {24, 1}, true}};
  const std::string svg = fabric_svg(fabric_of(topology), "large", grids);
  EXPECT_LT(svg.size(), 15'000u);
  EXPECT_EQ(count_of(svg, ">leaf"), 25u);
  EXPECT_NE(svg.find(">leaf959<"), std::string::npos);
}

TEST(Svg, OfSeveralFabricsHasTheirGridsBelowTheTiers) {
  const Config config = load_config_text(
      "[topology]\nkind = \"ai_zone\"\nracks = 2\nctsws = 2\nuplinks_per_rtsw = 2\n[[fabric]]\nname = \"store\"\n"
      "[fabric.topology]\nkind = \"torus\"\n[fabric.topology.torus]\ncolumns = 3\nrows = 2\n"
      "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
      "test.toml");
  const std::vector<std::optional<Grid>> grids{std::nullopt, grid_of(config.fabrics[0].fabric.topology)};
  const std::string svg = fabric_svg(build_world(config).fabric, "two", grids);
  EXPECT_NE(svg.find(">2 CTSWs<"), std::string::npos);
  EXPECT_NE(svg.find(">store: torus, 3 columns x 2 rows of leaves, all rings<"), std::string::npos);
  EXPECT_NE(svg.find(">leaf5<"), std::string::npos);
}

}  // namespace
}  // namespace heddle::drawing
