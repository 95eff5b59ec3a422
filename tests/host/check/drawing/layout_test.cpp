// Where things of a picture stand: no text covers another one or leaves its box, and pictures of large fabrics stay
// small.
#include "host/check/drawing/layout.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/check/drawing/grid_layout.hpp"
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

Layout layout_of_grid(const std::string& topology) {
  const Grid grid = grid_of(load_config_text("[topology]\n" + topology, "test.toml").fabric.topology).value();
  return grid_layout_of(summarise(fabric_of(topology)), grid, "test: " + grid_text(grid));
}

TEST(PictureLayout, OfGridsIsReadable) {
  for (const char* topology :
       {"kind = \"torus\"\n", "kind = \"torus\"\n[topology.torus]\ncolumns = 40\nrows = 24\n",
        "kind = \"torus\"\n[topology.torus]\ncolumns = 1\nrows = 2\n", "kind = \"hamming_mesh\"\n",
        "kind = \"hamming_mesh\"\n[topology.hamming_mesh]\nboard_columns = 9\nboard_rows = 3\ncolumns = 5\nrows = 3\n",
        "kind = \"hamming_mesh\"\n[topology.hamming_mesh]\nboard_columns = 1\nboard_rows = 1\ncolumns = 9\nrows = "
        "2\n"}) {
    SCOPED_TRACE(topology);
    const Layout layout = layout_of_grid(topology);
    expect_readable(layout);
    EXPECT_LT(layout.width, 1600);
    EXPECT_LT(layout.height, 1000);
  }
}

size_t labels_with(const Layout& layout, const std::string& text) {
  return static_cast<size_t>(std::ranges::count(layout.labels, text, &Label::text));
}

// Five of 16 rows and columns, each with a line of five strokes around it.
TEST(PictureLayout, OfATorusHasRowsColumnsAndRings) {
  const Layout layout = layout_of_grid("kind = \"torus\"\n");
  for (const char* text : {"column 0", "column 15", "row 2", "row 14", "leaf0", "leaf31", "leaf255", "columns"})
    EXPECT_EQ(labels_with(layout, text), 1u) << text;
  EXPECT_EQ(labels_with(layout, "11 more"), 2u);
  EXPECT_EQ(layout.long_cables.size(), 10u * 5);
  EXPECT_EQ(layout.cables.size(), 2u * 5 * (3 + 2)) << "three whole cables and two ends at the gap in each line";
  EXPECT_TRUE(layout.frames.empty());
}

TEST(PictureLayout, OfATorusHasNoRingsOfTwo) {
  const Layout layout = layout_of_grid("kind = \"torus\"\n[topology.torus]\ncolumns = 2\nrows = 4\n");
  EXPECT_EQ(layout.long_cables.size(), 2u * 5) << "the two columns alone";
}

TEST(PictureLayout, OfAHammingMeshHasBoardsAndSpines) {
  const Layout layout = layout_of_grid("kind = \"hamming_mesh\"\n");
  EXPECT_EQ(layout.frames.size(), 9u);
  for (const char* text : {"board 0", "board 17", "board 255", "spine0", "spine31", "spine32", "spine63", "leaf1023"})
    EXPECT_EQ(labels_with(layout, text), 1u) << text;
  EXPECT_EQ(labels_with(layout, "of boards"), 2u);
  EXPECT_EQ(layout.cables.size(), 36u) << "four on each board";
}

/// Strokes that go across, each between two groups.
size_t brackets(const Layout& layout) {
  return static_cast<size_t>(
      std::ranges::count_if(layout.long_cables, [](const Stroke& s) { return s.y1 == s.y2 && s.x1 != s.x2; }));
}

TEST(PictureLayout, OfADragonflyJoinsEveryTwoGroups) {
  const auto dragonfly = [](u32 groups, u32 planes) {
    return layout_of_fabric(
        fabric_of(fmt::format("kind = \"dragonfly_plus\"\n[topology.dragonfly_plus]\ngroups = {}\nplanes = {}\n"
                              "leaves = 2\ngpus_per_leaf = 2\nspines = 2\nuplinks_per_leaf = 2\n"
                              "global_links_per_spine = {}\n",
                              groups, planes, groups - 1)));
  };
  EXPECT_EQ(brackets(dragonfly(2, 1)), 1u);
  EXPECT_EQ(brackets(dragonfly(3, 1)), 3u);
  EXPECT_EQ(brackets(dragonfly(9, 1)), 6u) << "the first two, those that are left out, and the last";
  EXPECT_EQ(brackets(dragonfly(9, 2)), 2u * 3) << "one less in each plane";
  for (const u32 groups : {2u, 3u, 9u}) {
    for (const u32 planes : {1u, 2u}) expect_readable(dragonfly(groups, planes));
  }
}

TEST(PictureLayout, OfPodsJoinsNone) {
  EXPECT_TRUE(layout_of_fabric(fabric_of_file("configs/fat_tree.toml")).long_cables.empty());
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
