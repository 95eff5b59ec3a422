#include "host/check/drawing/summary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "host/check/drawing/joins.hpp"
#include "host/check/drawing/levels.hpp"
#include "kernels/base/units.hpp"
#include "kernels/world/servers.hpp"

namespace heddle::drawing {
namespace {

/// The cables of a node by tier and rate, in that order.
std::vector<Cabling> cabling_of(const Fabric& fabric, NodeId node) {
  std::vector<Cabling> cabling;
  for (const Link& link : links_of(fabric, node)) {
    const Tier to = fabric.nodes[link.dst].tier;
    const u64 bits_per_s = bits_per_s_of(link.ps_per_byte_q16);
    const auto same =
        std::ranges::find_if(cabling, [&](const Cabling& c) { return c.to == to && c.bits_per_s == bits_per_s; });
    if (same == cabling.end()) {
      cabling.push_back({to, bits_per_s, 1});
    } else {
      ++same->cables;
    }
  }
  std::ranges::sort(cabling);
  return cabling;
}

/// Kinds of nodes in the order of their tiers, and in a tier of their first nodes.
std::vector<NodesAlike> kinds_of(const Fabric& fabric, std::span<const NodeId> nodes) {
  std::vector<NodesAlike> kinds;
  std::map<std::pair<Tier, std::vector<Cabling>>, size_t> place;
  for (const NodeId node : nodes) {
    const auto [found, added] = place.try_emplace({fabric.nodes[node].tier, cabling_of(fabric, node)}, kinds.size());
    if (added) kinds.push_back({found->first.first, 0, found->first.second});
    ++kinds[found->second].nodes;
  }
  std::ranges::stable_sort(kinds, {}, &NodesAlike::tier);
  return kinds;
}

/// The group of these nodes, with parts by the levels from `level` on.
Group group_of(const Fabric& fabric, std::span<const NodeId> nodes, std::span<const Level> levels) {
  Group group;
  if (levels.empty()) {
    group.nodes = kinds_of(fabric, nodes);
    return group;
  }
  std::vector<NodeId> own;
  std::map<u32, std::vector<NodeId>> parts;
  for (const NodeId node : nodes) {
    const u32 part = levels[0].group_of[node];
    (part == kNone ? own : parts[part]).push_back(node);
  }
  group.nodes = kinds_of(fabric, own);
  for (const auto& [id, of_part] : parts) {
    group.parts.push_back(group_of(fabric, of_part, levels.subspan(1)));
    group.parts.back().noun = levels[0].noun;
    if (!levels[0].names.empty()) group.parts.back().name = levels[0].names[id];
    group.parts.back().number = static_cast<u32>(group.parts.size() - 1);  // from 0, as zones and names of switches
  }
  return group;
}

std::vector<TierSummary> tiers_of(const Fabric& fabric) {
  std::vector<TierSummary> tiers(fabric.tiers.size());
  for (size_t t = 0; t < tiers.size(); ++t) tiers[t].info = fabric.tiers[t];
  for (const Node& node : fabric.nodes) ++tiers[static_cast<u32>(node.tier)].nodes;
  for (const Link& link : fabric.links) {
    const Tier from = fabric.nodes[link.src].tier, to = fabric.nodes[link.dst].tier;
    TierSummary& tier = tiers[static_cast<u32>(from)];
    (to < from   ? tier.down_bits_per_s
     : to > from ? tier.up_bits_per_s
                 : tier.across_bits_per_s) += bits_per_s_of(link.ps_per_byte_q16);
  }
  return tiers;
}

using Tiers = std::pair<Tier, Tier>;                   // the lower one first
using NodesByTier = std::vector<std::vector<NodeId>>;  // [Tier]
constexpr size_t kMaxLevels = 4;                       // those that levels_of() can return
using Groups = std::array<u32, kMaxLevels>;            // of a node, by level; kNone: does not matter

NodesByTier nodes_by_tier(const Fabric& fabric) {
  NodesByTier nodes(fabric.tiers.size());
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) nodes[static_cast<u32>(fabric.nodes[n].tier)].push_back(n);
  return nodes;
}

/// Of each lower node, how many higher ones are in its groups, where the levels divide both tiers.
void add_reach(const std::vector<NodeId>& low, const std::vector<NodeId>& high, std::span<const Level> levels,
               LayerSummary& layer) {
  std::array<bool, kMaxLevels> divided{};
  for (size_t l = 0; l < levels.size(); ++l) {
    divided[l] = levels[l].group_of[low[0]] != kNone && levels[l].group_of[high[0]] != kNone;
    if (divided[l]) layer.scope = levels[l].noun;
  }
  const auto groups = [&](NodeId node) {
    Groups of{};
    for (size_t l = 0; l < levels.size(); ++l) of[l] = divided[l] ? levels[l].group_of[node] : kNone;
    return of;
  };
  std::map<Groups, u32> nodes;
  for (const NodeId node : high) ++nodes[groups(node)];
  for (const NodeId node : low) include(layer.reach, node == low[0], nodes[groups(node)]);
}

/// Of each lower node, the higher ones that it has cables to, and how many to each.
void add_neighbours(const Fabric& fabric, const std::vector<NodeId>& low, LayerSummary& layer) {
  bool is_first_pair = true;
  std::vector<NodeId> ends;
  for (const NodeId node : low) {
    ends.clear();
    for (const Link& link : links_of(fabric, node)) {
      if (fabric.nodes[link.dst].tier == layer.high) ends.push_back(link.dst);
    }
    std::ranges::sort(ends);
    u32 neighbours = 0;
    for (size_t i = 0, next = 0; i < ends.size(); i = next, ++neighbours) {
      next = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), ends[i]) - ends.begin());
      include(layer.cables_per_pair, is_first_pair, static_cast<u32>(next - i));
      is_first_pair = false;
    }
    include(layer.neighbours, node == low[0], neighbours);
  }
}

std::vector<LayerSummary> layers_of(const Fabric& fabric, std::span<const Level> levels) {
  std::map<Tiers, std::map<u64, u64>> rates;
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    const Tier from = fabric.nodes[link.src].tier, to = fabric.nodes[link.dst].tier;
    if (from < to || (from == to && l < link.reverse)) ++rates[{from, to}][bits_per_s_of(link.ps_per_byte_q16)];
  }
  const NodesByTier nodes = nodes_by_tier(fabric);
  std::vector<LayerSummary> layers;
  for (const auto& [tiers, of_layer] : rates) {
    LayerSummary layer;
    layer.low = tiers.first;
    layer.high = tiers.second;
    for (const auto& rate : of_layer) {
      layer.cables += rate.second;
      layer.rates.push_back(rate);
    }
    const std::vector<NodeId>& low = nodes[static_cast<u32>(layer.low)];
    add_neighbours(fabric, low, layer);
    add_reach(low, nodes[static_cast<u32>(layer.high)], levels, layer);
    if (layer.low == layer.high) layer.joins = joins_of(fabric, layer.low, levels);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// To how many switches the NICs of a server have cables.
Range switches_per_server(const Fabric& fabric) {
  Range range;
  if (fabric.nics_per_server == 0) return range;
  std::set<NodeId> switches;
  for (EndpointId e = 0; e < count_gpus(fabric); ++e) {
    for (const Link& link : links_of(fabric, e)) switches.insert(link.dst);
    const u32 server = server_of(e, fabric.nics_per_server);
    if (e + 1 != count_gpus(fabric) && server_of(e + 1, fabric.nics_per_server) == server) continue;
    include(range, server == 0, static_cast<u32>(switches.size()));
    switches.clear();
  }
  return range;
}

}  // namespace

void include(Range& range, bool is_first, u32 value) {
  range.min = is_first ? value : std::min(range.min, value);
  range.max = is_first ? value : std::max(range.max, value);
}

bool alike(const Group& a, const Group& b) { return a.nodes == b.nodes && std::ranges::equal(a.parts, b.parts, alike); }

FabricSummary summarise(const Fabric& fabric) {
  const std::vector<Level> levels = levels_of(fabric);
  std::vector<NodeId> nodes(fabric.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0u);
  return {tiers_of(fabric), layers_of(fabric, levels), group_of(fabric, nodes, levels), fabric.nics_per_server,
          switches_per_server(fabric)};
}

}  // namespace heddle::drawing
