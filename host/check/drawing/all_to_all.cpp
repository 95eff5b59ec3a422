#include "host/check/drawing/all_to_all.hpp"

namespace heddle::drawing {
namespace {

constexpr i32 kFirstHeight = 12, kHeightStep = 10;

/// Where the bracket from group i to group j stands on i, so that nearer groups' brackets lie inside those of farther
/// ones: from the left to i - 1, ..., 0, then to the last, ..., i + 1.
i32 foot(const std::vector<Place>& groups, size_t i, size_t j) {
  const size_t place = j < i ? i - 1 - j : i + groups.size() - 1 - j;
  return groups[i].x + groups[i].width * static_cast<i32>(place + 1) / static_cast<i32>(groups.size());
}

}  // namespace

void add_all_to_all(const std::vector<Place>& groups, i32 bottom, std::vector<Stroke>& strokes) {
  i32 y = bottom - kFirstHeight;
  for (size_t distance = 1; distance < groups.size(); ++distance) {
    for (size_t i = 0; i + distance < groups.size(); ++i, y -= kHeightStep) {
      const i32 left = foot(groups, i, i + distance), right = foot(groups, i + distance, i);
      strokes.push_back({left, bottom, left, y});
      strokes.push_back({left, y, right, y});
      strokes.push_back({right, y, right, bottom});
    }
  }
}

}  // namespace heddle::drawing
