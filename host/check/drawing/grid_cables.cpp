#include "host/check/drawing/grid_cables.hpp"

#include <utility>

namespace heddle::drawing {
namespace {

constexpr i32 kLevel = 14;  // from leaves to the line that runs along them
constexpr i32 kStub = 12;   // of a cable to a leaf that is left out
constexpr i32 kFromSpine = 6;

}  // namespace

void GridCables::add_long(const std::vector<std::pair<i32, i32>>& points) {
  for (size_t i = 0; i + 1 < points.size(); ++i)
    layout_.long_cables.push_back(line(points[i].first, points[i].second, points[i + 1].first, points[i + 1].second));
}

void GridCables::add_neighbours() {
  for (const Lane& lane : across_.lanes) {
    const i32 middle = lane.middle();
    for (size_t i = 0; i + 1 < along_.lanes.size(); ++i) {
      const Lane &a = along_.lanes[i], &b = along_.lanes[i + 1];
      if (a.last_on_board) continue;
      if (b.index == a.index + 1) {
        layout_.cables.push_back(line(a.end, middle, b.begin, middle));
      } else {
        layout_.cables.push_back(line(a.end, middle, a.end + kStub, middle));
        layout_.cables.push_back(line(b.begin - kStub, middle, b.begin, middle));
      }
    }
  }
}

void GridCables::add_rings() {
  const i32 first = along_.lanes.front().begin, last = along_.lanes.back().end;
  for (const Lane& lane : across_.lanes) {
    const i32 middle = lane.middle(), level = lane.begin - kLevel;
    add_long({{last, middle},
              {last + kAround, middle},
              {last + kAround, level},
              {first - kAround, level},
              {first - kAround, middle},
              {first, middle}});
  }
}

void GridCables::add_lines_to_spines(i32 begin) {
  for (const Lane& lane : across_.lanes) {
    const i32 level = lane.begin - kLevel;
    i32 end = begin;
    for (const Lane& leaf : along_.lanes) {
      const i32 quarter = (leaf.end - leaf.begin) / 4;
      for (const auto& [joins, at] :
           {std::pair(leaf.first_on_board, leaf.begin + quarter), std::pair(leaf.last_on_board, leaf.end - quarter)}) {
        if (!joins) continue;
        add_long({{at, level}, {at, lane.begin}});
        end = at;
      }
    }
    add_long({{begin, lane.middle()}, {begin + kFromSpine, lane.middle()}, {begin + kFromSpine, level}, {end, level}});
  }
}

}  // namespace heddle::drawing
