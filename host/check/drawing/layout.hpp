// Where everything of a picture of a fabric stands, in whole pixels, before it is written as SVG.
#pragma once

#include <string>
#include <vector>

#include "host/check/drawing/labels.hpp"
#include "host/check/drawing/summary.hpp"
#include "kernels/base/types.hpp"

namespace heddle::drawing {

/// Nodes that are alike. `many`: a shadow shows that it stands for several.
struct Box {
  Place place;
  Tier tier = Tier::endpoint;
  bool many = false;
};

/// A plane, zone, pod or unit; the tab holds its name.
struct Frame {
  Place place, tab;
};

/// A straight line that stands for cables.
struct Stroke {
  i32 x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

struct Layout {
  i32 width = 0, height = 0;
  std::vector<Frame> frames;  // outer ones first
  std::vector<Stroke> cables;
  std::vector<Stroke> long_cables;  // around a ring, along boards to a spine, between groups
  std::vector<Box> boxes;
  std::vector<Place> dots;  // ellipses for what is left out
  std::vector<Label> labels;
};

/// Tiers are rows, endpoints lowest; groups stand side by side: the first, perhaps the second, and the last.
Layout layout_of(const FabricSummary& fabric, const std::string& title);

}  // namespace heddle::drawing
