// The topologies by name. A new one is a file with a TopologyInfo, and its two lines in registry.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host/scenario/topology/graph.hpp"
#include "host/scenario/topology/options.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

/// A dimension of a topology, as given or by default.
u32 dimension_of(const TopologyOptions& topology, std::string_view key);

/// The inputs of a builder.
struct GraphInput {
  const TopologyOptions& topology;
  const LinkOptions& link;
  const LeafOptions& leaves;
  const PlainTopology* imported = nullptr;  // only for imported kinds

  /// A dimension of the topology that is built.
  u32 dimension(std::string_view key) const;
  /// The dimensions of it that differ from their defaults.
  std::vector<std::string_view> given() const;
};

using GraphBuilder = Graph (*)(const GraphInput&);

/// What a topology is.
struct TopologyInfo {
  std::string_view name;  // a word of topology.kind
  GraphBuilder build;
  std::string_view help;                       // one line
  bool of_leaves = false;                      // made of leaves, spines and cores, as leaf_tiers() has them
  std::span<const Dimension> dimensions = {};  // the keys of [topology.NAME]
};

/// All that are built from options.
std::span<const TopologyInfo> topologies();

/// The names of the tiers of switches that fabrics of this kind may have.
std::span<const std::string_view> tier_names_of(std::string_view kind);

/// The builder of `kind`. Throws ConfigError with the known names when there is none.
GraphBuilder graph_builder(std::string_view kind);

}  // namespace heddle
