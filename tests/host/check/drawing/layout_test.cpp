// Where things of a picture stand: no text covers another one or leaves its box, and pictures of large fabrics stay
// small.
#include "host/check/drawing/layout.hpp"

#include <gtest/gtest.h>

#include "tests/host/check/drawing/fabrics.hpp"

namespace heddle::drawing {
namespace {

using namespace testing_fabrics;

bool overlap(const Place& a, const Place& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool holds(const Place& outer, const Place& inner) {
  return outer.x <= inner.x && inner.right() <= outer.right() && outer.y <= inner.y && inner.bottom() <= outer.bottom();
}

void expect_readable(const Layout& layout) {
  const Place all{0, 0, layout.width, layout.height};
  for (size_t i = 0; i < layout.labels.size(); ++i) {
    const Label& label = layout.labels[i];
    EXPECT_TRUE(holds(all, label.place)) << label.text;
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(overlap(label.place, layout.labels[j].place)) << label.text << " / " << layout.labels[j].text;
    for (const Box& box : layout.boxes)
      EXPECT_TRUE(!overlap(box.place, label.place) || holds(box.place, label.place)) << label.text;
    for (const Frame& frame : layout.frames) {
      EXPECT_TRUE(!overlap(frame.place, label.place) || holds(frame.place, label.place)) << label.text;
      EXPECT_TRUE(!overlap(frame.tab, label.place) || holds(frame.tab, label.place)) << label.text;
    }
    for (const Place& dots : layout.dots) EXPECT_FALSE(overlap(dots, label.place)) << label.text;
  }
  for (size_t i = 0; i < layout.boxes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(layout.boxes[i].place, layout.boxes[j].place));
    for (const Frame& frame : layout.frames) {
      const Place& box = layout.boxes[i].place;
      EXPECT_TRUE(!overlap(frame.place, box) || holds(frame.place, box));
      EXPECT_FALSE(overlap(frame.tab, box));
    }
  }
}

Layout layout_of_fabric(const Fabric& fabric) { return layout_of(summarise(fabric), "test"); }

TEST(PictureLayout, OfPresetsIsReadable) {
  for (const char* name : {"zone_quickstart", "meta_24k", "zone_4096", "pod_3072", "superpod", "fat_tree"}) {
    SCOPED_TRACE(name);
    const Layout layout = layout_of_fabric(fabric_of_file(std::string("configs/") + name + ".toml"));
    expect_readable(layout);
    EXPECT_LT(layout.width, 1200);
    EXPECT_LT(layout.height, 700);
  }
}

TEST(PictureLayout, OfNestedGroupsIsReadable) {
  for (const u32 planes : {2u, 3u, 8u}) {
    SCOPED_TRACE(planes);
    const Layout layout = layout_of_fabric(planes_of_rails(planes));
    expect_readable(layout);
    EXPECT_EQ(layout.frames.size(), 6u) << "two planes, each with two units";
  }
}

TEST(PictureLayout, DrawsTheFirstSecondAndLastOfManyGroups) {
  const Layout layout = layout_of_fabric(fabric_of_file("configs/fat_tree.toml"));
  EXPECT_EQ(layout.frames.size(), 3u);
  EXPECT_EQ(layout.dots.size(), 1u);
  EXPECT_EQ(layout.boxes.size(), 1u + 3 * 3);
  const auto is_there = [&](const std::string& text) {
    return std::ranges::any_of(layout.labels, [&](const Label& label) { return label.text == text; });
  };
  EXPECT_TRUE(is_there("pod 0") && is_there("pod 1") && is_there("pod 15") && is_there("13 more"));
  EXPECT_FALSE(is_there("pod 3"));
}

TEST(PictureLayout, DrawsThreeGroupsWithoutAnEllipsis) {
  const Layout layout = layout_of_fabric(
      fabric_of("kind = \"multi_zone\"\nzones = 3\nracks = 2\ngpus_per_rack = 2\nctsws = 2\nuplinks_per_rtsw = 2\n"
                "atsws = 2\nuplinks_per_ctsw = 2\n"));
  EXPECT_EQ(layout.frames.size(), 3u);
  EXPECT_TRUE(layout.dots.empty());
}

// One plane has units and the other has not, nor as many tiers.
TEST(PictureLayout, OfPartsOfOtherDepthsIsReadable) {
  FabricSummary summary = summarise(planes_of_rails(2));
  summary.whole.parts[0].parts.clear();
  summary.whole.parts[0].nodes = {{Tier{1}, 1, {{Tier::endpoint, 200 * kGigabit, 32}}}};
  const Layout layout = layout_of(summary, "test");
  expect_readable(layout);
  EXPECT_EQ(layout.frames.size(), 4u);
}

// Leaves with one to six endpoints each: more kinds than stand side by side.
TEST(PictureLayout, DrawsManyKindsAsOneBoxWithRanges) {
  std::vector<u32> tiers(21, 0);
  std::vector<HandMadeCable> cables;
  NodeId e = 0;
  for (u32 leaf = 0; leaf < 6; ++leaf) {
    tiers.push_back(1);
    for (u32 i = 0; i <= leaf; ++i) cables.push_back({e++, 21 + leaf});
    cables.push_back({21 + leaf, 27});
  }
  tiers.push_back(2);
  const Layout layout = layout_of_fabric(fabric_by_hand(tiers, cables));
  EXPECT_EQ(layout.boxes.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(layout.labels, [](const Label& l) { return l.text == "1 to 6 x 400G down"; }));
  expect_readable(layout);
}

}  // namespace
}  // namespace heddle::drawing
