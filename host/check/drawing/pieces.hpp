// What of a fabric is drawn: which kinds of nodes share a box, and which groups are left out.
#pragma once

#include <span>
#include <vector>

#include "host/check/drawing/summary.hpp"

namespace heddle::drawing {

inline constexpr size_t kMaxKinds = 3;  // of a tier in a group; more are drawn as one box with ranges

/// The kinds of nodes of one tier that are in no part of the group, box by box.
std::vector<std::vector<NodesAlike>> boxes_of(const Group& group, Tier tier);

u32 nodes_in(std::span<const NodesAlike> kinds);

/// How many levels of groups there are below this one.
size_t levels_below(const Group& group);

/// Whether the group or one of its parts has such nodes.
bool has_tier(const Group& group, Tier tier);

/// Which parts are drawn: all, or the first, the second where there is room, and the last.
struct Shown {
  std::vector<const Group*> parts;
  bool some_hidden = false;
};
Shown shown_parts(const Group& group);

}  // namespace heddle::drawing
