#include "host/scenario/topology/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/error.hpp"
#include "io/formats/formats.hpp"

namespace heddle {

Graph build_star(const GraphInput& input);
Graph build_ai_zone(const GraphInput& input);
Graph build_multi_zone(const GraphInput& input);
Graph build_imported(const GraphInput& input);
TopologyInfo dragonfly_plus();
TopologyInfo fat_tree();
TopologyInfo hamming_mesh();
TopologyInfo rail_only();
TopologyInfo rail_optimised();
TopologyInfo torus();
TopologyInfo two_tier();

namespace {

/// The names of the topologies that `is_so` holds for, joined by bars.
template <class Is>
std::string joined(const Is& is_so) {
  std::string kinds;
  for (const TopologyInfo& info : topologies()) {
    if (is_so(info)) kinds.append(kinds.empty() ? "" : "|").append(info.name);
  }
  return kinds;
}

}  // namespace

std::span<const TopologyInfo> topologies() {
  static const std::array kAll = {
      TopologyInfo{"star", build_star, "one switch"},
      TopologyInfo{"ai_zone", build_ai_zone, "RTSWs and CTSWs"},
      TopologyInfo{"multi_zone", build_multi_zone, "zones under ATSWs"},
      fat_tree(),
      rail_optimised(),
      rail_only(),
      two_tier(),
      dragonfly_plus(),
      torus(),
      hamming_mesh(),
  };
  return kAll;
}

std::vector<DimensionValue> default_dimensions() {
  std::vector<DimensionValue> values;
  for (const TopologyInfo& info : topologies()) {
    for (const Dimension& dimension : info.dimensions) values.push_back({info.name, &dimension});
  }
  return values;
}

std::string built_topologies() {
  return joined([](const TopologyInfo&) { return true; });
}

std::string topologies_of_leaves() {
  return joined([](const TopologyInfo& info) { return info.of_leaves; });
}

std::string topologies_of_zones() {
  return joined([](const TopologyInfo& info) { return !info.of_leaves; });
}

std::string built_topologies_help() {
  std::string help;
  for (const TopologyInfo& info : topologies()) help += fmt::format("{}: {}; ", info.name, info.help);
  return help;
}

u32 dimension_of(const TopologyOptions& topology, std::string_view key) {
  for (const DimensionValue& value : topology.values) {
    if (value.topology == topology.kind && value.dimension->key == key) return static_cast<u32>(value.number);
  }
  throw std::logic_error(fmt::format("topology {} has no dimension {}", topology.kind, key));
}

u32 GraphInput::dimension(std::string_view key) const { return dimension_of(topology, key); }

std::vector<std::string_view> GraphInput::given() const {
  std::vector<std::string_view> keys;
  for (const DimensionValue& value : topology.values) {
    if (value.topology == topology.kind && value.number != value.dimension->value) keys.push_back(value.dimension->key);
  }
  return keys;
}

std::span<const std::string_view> tier_names_of(std::string_view kind) {
  const auto info = std::ranges::find(topologies(), kind, &TopologyInfo::name);
  return info != topologies().end() && info->of_leaves ? kLeafTierNames : kZoneTierNames;
}

GraphBuilder graph_builder(std::string_view kind) {
  for (const TopologyInfo& info : topologies()) {
    if (info.name == kind) return info.build;
  }
  if (find_format("topology.kind", kind) != nullptr) return build_imported;
  throw ConfigError(fmt::format("topology.kind: no topology is called \"{}\"; choose one of {}", kind, kTopologyKinds));
}

}  // namespace heddle
