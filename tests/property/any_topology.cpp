#include "tests/property/any_topology.hpp"

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/topology/registry.hpp"
#include "tests/property/draw.hpp"

namespace heddle::property {
namespace {

constexpr i64 kMoreThanLeast = 3;  // dimensions: the least value, or up to so much more
constexpr u32 kMaxEndpoints = 24;

AnyTopology draw_dimensions(Draw& draw) {
  std::vector<const TopologyInfo*> infos;
  for (const TopologyInfo& info : topologies())
    if (!info.dimensions.empty()) infos.push_back(&info);
  const TopologyInfo& info = *infos[draw.below(infos.size())];
  AnyTopology any;
  any.kind = info.name;
  for (const Dimension& d : info.dimensions) {
    const i64 most = std::min(static_cast<i64>(d.max - d.min), kMoreThanLeast);
    any.dimensions.emplace_back(d.key, static_cast<i64>(d.min) + static_cast<i64>(draw.below(most + 1)));
  }
  return any;
}

Graph graph_of(const AnyTopology& any) {
  TopologyOptions options;
  options.kind = any.kind;
  for (DimensionValue& value : options.values) {
    if (value.topology != any.kind) continue;
    value.number = any.dimension(value.dimension->key);
  }
  return graph_builder(any.kind)({options, {}, {}});
}

bool is_suitable(const Graph& graph) {
  return graph.endpoints >= 2 && graph.endpoints <= kMaxEndpoints && graph.nic_ports == 1 &&
         graph.nics_per_server < 2 && !graph.may_fall_apart;
}

}  // namespace

NodeId AnyTopology::switch_of(EndpointId endpoint) const {
  return std::ranges::find(graph.cables, endpoint, &Cable::a)->b;
}

i64 AnyTopology::dimension(std::string_view key) const {
  return std::ranges::find(dimensions, key, [](const auto& d) { return d.first; })->second;
}

bool AnyTopology::can_detour() const {
  return kind == "dragonfly_plus" && dimension("groups") > 2 &&
         dimension("global_links_per_spine") >= dimension("groups") - 1;
}

u32 AnyTopology::max_ports() const {
  std::vector<u32> ports(graph.nodes.size(), 0);
  for (const Cable& cable : graph.cables) ++ports[cable.a], ++ports[cable.b];
  return std::ranges::max(ports);
}

u32 AnyTopology::count(Tier tier) const {
  return static_cast<u32>(std::ranges::count(graph.nodes, tier, &GraphNode::tier));
}

AnyTopology draw_any_topology(u64 seed, bool for_detours) {
  for (Draw draw(seed, "any topology");;) {
    AnyTopology any = draw_dimensions(draw);
    if (for_detours && !any.can_detour()) continue;
    try {
      any.graph = graph_of(any);
    } catch (const ConfigError&) {
      continue;  // of dimensions that do not fit together
    }
    if (is_suitable(any.graph)) return any;
  }
}

}  // namespace heddle::property
