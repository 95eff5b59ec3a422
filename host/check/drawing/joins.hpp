// Groups whose switches of one tier are joined, as those of a dragonfly are.
#pragma once

#include <span>

#include "host/check/drawing/levels.hpp"
#include "host/check/drawing/summary.hpp"

namespace heddle::drawing {

/// The joins by cables between nodes of this tier, at the innermost level whose groups they leave.
GroupJoins joins_of(const Fabric& fabric, Tier tier, std::span<const Level> levels);

/// Whether each of these groups is joined with every other one.
bool is_all_to_all(const GroupJoins& joins);

}  // namespace heddle::drawing
