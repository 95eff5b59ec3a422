// The topologies by name. A new one is a file with one function of this shape and its lines in registry.cpp.
#pragma once

#include <string_view>

#include "host/scenario/topology/graph.hpp"
#include "host/scenario/topology/options.hpp"
#include "io/formats/plain.hpp"

namespace heddle {

/// The inputs of a builder.
struct GraphInput {
  const TopologyOptions& topology;
  const LinkOptions& link;
  const PlainTopology* imported = nullptr;  // only for imported kinds
};

using GraphBuilder = Graph (*)(const GraphInput&);

/// The builder of `kind`. Throws ConfigError with the known names when there is none.
GraphBuilder graph_builder(std::string_view kind);

}  // namespace heddle
