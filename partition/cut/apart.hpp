// Parts of a World that do not touch each other.
#pragma once

#include <vector>

#include "kernels/engine/engine.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// Nodes that hang together by what the workload may send: racks, the endpoints that communicate, and all switches on
/// any of their ways, whichever way is taken in the end. Nothing is ever sent between two components.
struct Components {
  u32 count = 0;
  std::vector<u32> of_node;    // [node] in order of their least node; kNone: of no use to any of them
  std::vector<u32> endpoints;  // [component]
};

/// A pure function of a finished World. One component where that cannot be known beforehand: links fail, or a
/// controller sets routes.
Components components_of(const World& world);

/// Small ones of more components than this share a part: each costs a thread, and tables of its own.
inline constexpr u32 kMostApart = 16;

/// One part for each component: of more than `most`, small ones share a part. Empty where there are not two, or a link
/// between them is too short for parts.
std::vector<Part> parts_apart(const World& world, u32 most);

/// Whether this division leaves every component whole.
bool is_apart(const Components& components, const std::vector<u32>& rank_of_node);

}  // namespace heddle
