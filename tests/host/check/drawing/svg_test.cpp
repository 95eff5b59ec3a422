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

}  // namespace
}  // namespace heddle::drawing
