// Graphs and worlds for the tests of cuts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/scenario/build.hpp"
#include "partition/cut/graph.hpp"

namespace heddle {

/// `cliques` cliques of `size` racks each, every clique a zone, one bridge of weight 1 from each to the next; edges
/// inside have weight 10.
inline CutGraph chain_of_cliques(u32 cliques, u32 size) {
  std::vector<WeightedEdge> edges;
  std::vector<VertexPlace> place;
  for (u32 c = 0; c < cliques; ++c) {
    for (u32 i = 0; i < size; ++i) {
      place.push_back({.zone = c, .rack = true});
      for (u32 j = i + 1; j < size; ++j) edges.push_back({c * size + i, c * size + j, 10});
    }
    if (c > 0) edges.push_back({c * size - 1, c * size, 1});
  }
  return make_graph(std::vector<u64>(static_cast<size_t>(cliques) * size, 100), place, edges);
}

/// Racks in a row, each joined with the next by an edge of weight 1.
inline CutGraph row_of_racks(const std::vector<u64>& weights) {
  std::vector<WeightedEdge> edges;
  for (u32 v = 1; v < weights.size(); ++v) edges.push_back({v - 1, v, 1});
  return make_graph(weights, std::vector<VertexPlace>(weights.size(), {.zone = 0, .rack = true}), edges);
}

inline World world_of_text(std::string_view toml, const std::vector<std::string>& sets = {}) {
  return build_world(toml, "test", sets);
}

/// 2 zones of 4 racks with 4 GPUs, 2 CTSWs each, 2 ATSWs.
inline const std::string kTwoZoneFabric = R"(
[topology]
kind = "multi_zone"
zones = 2
racks = 4
gpus_per_rack = 4
ctsws = 2
uplinks_per_rtsw = 4
atsws = 2
uplinks_per_ctsw = 2
)";

/// kTwoZoneFabric with a permutation that crosses the zones.
inline const std::string kTwoZones = kTwoZoneFabric + R"([[generator]]
kind = "permutation"
bytes = "256 KiB"
messages = 1
)";

}  // namespace heddle
