#include "host/check/drawing/pieces.hpp"

#include <algorithm>

namespace heddle::drawing {

std::vector<std::vector<NodesAlike>> boxes_of(const Group& group, Tier tier) {
  std::vector<NodesAlike> kinds;
  for (const NodesAlike& kind : group.nodes) {
    if (kind.tier == tier) kinds.push_back(kind);
  }
  if (kinds.size() > kMaxKinds) return {kinds};
  std::vector<std::vector<NodesAlike>> boxes;
  boxes.reserve(kinds.size());
  for (const NodesAlike& kind : kinds) boxes.push_back({kind});
  return boxes;
}

u32 nodes_in(std::span<const NodesAlike> kinds) {
  u32 nodes = 0;
  for (const NodesAlike& kind : kinds) nodes += kind.nodes;
  return nodes;
}

size_t levels_below(const Group& group) {
  size_t levels = 0;
  for (const Group& part : group.parts) levels = std::max(levels, 1 + levels_below(part));
  return levels;
}

bool has_tier(const Group& group, Tier tier) {
  return std::ranges::any_of(group.nodes, [&](const NodesAlike& kind) { return kind.tier == tier; }) ||
         std::ranges::any_of(group.parts, [&](const Group& part) { return has_tier(part, tier); });
}

Shown shown_parts(const Group& group) {
  const size_t first = group.noun.empty() && levels_below(group) == 1 ? 2 : 1;  // before those that are left out
  Shown shown;
  shown.some_hidden = group.parts.size() > first + 1;
  for (size_t i = 0; i < group.parts.size(); ++i) {
    if (!shown.some_hidden || i < first || i + 1 == group.parts.size()) shown.parts.push_back(&group.parts[i]);
  }
  return shown;
}

}  // namespace heddle::drawing
