#include "host/check/drawing/joins.hpp"

#include <map>
#include <utility>
#include <vector>

namespace heddle::drawing {
namespace {

using Path = std::vector<u32>;  // of groups, from the outermost level on

/// Calls see(from, to) for every link between nodes of the tier that leaves a group of the level.
template <class See>
void for_each_between(const Fabric& fabric, Tier tier, const Level& level, const See& see) {
  for (const Link& link : fabric.links) {
    if (fabric.nodes[link.src].tier != tier || fabric.nodes[link.dst].tier != tier) continue;
    const u32 from = level.group_of[link.src], to = level.group_of[link.dst];
    if (from != kNone && to != kNone && from != to) see(link.src, link.dst);
  }
}

}  // namespace

GroupJoins joins_of(const Fabric& fabric, Tier tier, std::span<const Level> levels) {
  size_t depth = levels.size();
  const auto any = [&](const Level& level) {
    bool found = false;
    for_each_between(fabric, tier, level, [&](NodeId, NodeId) { found = true; });
    return found;
  };
  while (depth > 0 && !any(levels[depth - 1])) --depth;
  if (depth == 0) return {};
  const auto path_of = [&](NodeId node) {
    Path path;
    for (const Level& level : levels.first(depth)) path.push_back(level.group_of[node]);
    return path;
  };
  std::map<Path, u32> numbers;   // of groups
  std::map<Path, u32> siblings;  // of the groups around them: how many groups each holds
  std::vector<u32> group(fabric.nodes.size());
  std::vector<Path> parents;
  for (NodeId n = fabric.endpoints; n < fabric.nodes.size(); ++n) {
    if (fabric.nodes[n].tier != tier) continue;
    Path path = path_of(n);
    const auto [found, added] = numbers.try_emplace(path, static_cast<u32>(numbers.size()));
    group[n] = found->second;
    if (!added) continue;
    path.pop_back();
    ++siblings[path];
    parents.push_back(std::move(path));
  }
  std::map<std::pair<u32, u32>, u32> cables;
  for_each_between(fabric, tier, levels[depth - 1], [&](NodeId a, NodeId b) { ++cables[{group[a], group[b]}]; });
  GroupJoins joins{levels[depth - 1].noun, {}, {}, {}};
  std::vector<u32> neighbours(parents.size(), 0);
  for (const auto& [pair, count] : cables) {
    include(joins.cables_per_pair, pair == cables.begin()->first, count);
    ++neighbours[pair.first];
  }
  for (size_t g = 0; g < parents.size(); ++g) {
    include(joins.neighbours, g == 0, neighbours[g]);
    include(joins.others, g == 0, siblings[parents[g]] - 1);
  }
  return joins;
}

bool is_all_to_all(const GroupJoins& joins) { return !joins.noun.empty() && joins.neighbours == joins.others; }

}  // namespace heddle::drawing
