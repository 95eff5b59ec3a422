// Lines between groups that stand side by side: from each one to every other one.
#pragma once

#include <vector>

#include "host/check/drawing/layout.hpp"

namespace heddle::drawing {

inline constexpr i32 kJoinsHeight = 68;  // of the lines of kMaxJoined groups
inline constexpr size_t kMaxJoined = 4;

/// Adds a bracket above `bottom` for each two of these groups, at most kMaxJoined, nearer ones lower.
void add_all_to_all(const std::vector<Place>& groups, i32 bottom, std::vector<Stroke>& strokes);

}  // namespace heddle::drawing
