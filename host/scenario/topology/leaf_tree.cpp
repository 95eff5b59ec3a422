#include "host/scenario/topology/leaf_tree.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "kernels/state/packet.hpp"

namespace heddle {
namespace {

void check(const LeafTree& t, std::string_view section) {
  const u64 endpoints = u64{t.pods} * t.leaves * t.hosts;
  if (endpoints > kMaxEndpoints) {
    throw ConfigError(fmt::format(
        "{}: {} pods of {} leaves with {} NICs are {} endpoints, but a packet can address {}; make one of them smaller",
        section, t.pods, t.leaves, t.hosts, endpoints, kMaxEndpoints));
  }
  if (t.leaf_uplinks % t.spines != 0) {
    throw ConfigError(
        fmt::format("{}.uplinks_per_leaf = {}: they cannot be divided evenly over {} spines; take a multiple of that, "
                    "or other spines",
                    section, t.leaf_uplinks, t.spines));
  }
  const u64 uplinks = u64{t.spines} * t.spine_uplinks;
  if (t.pods > 1 && uplinks % t.cores != 0) {
    throw ConfigError(fmt::format(
        "{}.cores = {}: the {} uplinks of a pod ({} spines of {}) cannot be divided evenly over them; take a divisor "
        "of {}",
        section, t.cores, uplinks, t.spines, t.spine_uplinks, uplinks));
  }
  const u64 cables = endpoints + u64{t.pods} * (u64{t.leaves} * t.leaf_uplinks + uplinks);
  if (cables <= kMaxCables) return;
  throw ConfigError(fmt::format("{}: {} cables are more than can be held ({}); make the fabric smaller", section,
                                cables, kMaxCables));
}

void add_nodes(const LeafTree& t, const std::function<u32(EndpointId)>& leaf_of, Graph& graph) {
  graph.endpoints = t.endpoints();
  for (EndpointId e = 0; e < graph.endpoints; ++e)
    graph.nodes.push_back({Tier::endpoint, leaf_of(e) / t.leaves, fmt::format("gpu{}", e)});
  for (u32 l = 0; l < t.pods * t.leaves; ++l) graph.nodes.push_back({kLeaf, l / t.leaves, fmt::format("leaf{}", l)});
  for (u32 s = 0; s < t.pods * t.spines; ++s) graph.nodes.push_back({kSpine, s / t.spines, fmt::format("spine{}", s)});
  for (u32 c = 0; t.pods > 1 && c < t.cores; ++c) graph.nodes.push_back({kCore, 0, fmt::format("core{}", c)});
}

}  // namespace

LeafTree leaf_tree_of(const GraphInput& input, u32 leaves, u32 hosts) {
  return {input.dimension("pods"),
          leaves,
          hosts,
          input.dimension("spines"),
          input.dimension("uplinks_per_leaf"),
          input.dimension("cores"),
          input.dimension("uplinks_per_spine")};
}

Graph build_leaf_tree(const LeafTree& t, const GraphInput& input, const std::function<u32(EndpointId)>& leaf_of) {
  check(t, fmt::format("topology.{}", input.topology.kind));
  Graph graph;
  graph.tiers = leaf_tiers();
  add_nodes(t, leaf_of, graph);
  const auto& [leaf_spine, spine_core] = input.leaves.layers;
  const auto join = [&](NodeId low, NodeId high, const LayerOptions& layer) {
    graph.cables.push_back({low, high, layer.bits_per_s, layer.propagation_ps});
  };
  for (EndpointId e = 0; e < graph.endpoints; ++e)
    graph.cables.push_back({e, t.leaf(leaf_of(e)), input.link.host_bits_per_s, input.link.host_propagation_ps});
  for (u32 leaf = 0; leaf < t.pods * t.leaves; ++leaf) {
    for (u32 up = 0; up < t.leaf_uplinks; ++up) join(t.leaf(leaf), t.spine(leaf / t.leaves, up % t.spines), leaf_spine);
  }
  for (u32 pod = 0; t.pods > 1 && pod < t.pods; ++pod) {
    for (u32 spine = 0; spine < t.spines; ++spine) {
      for (u32 up = 0; up < t.spine_uplinks; ++up)
        join(t.spine(pod, spine), t.core((spine * t.spine_uplinks + up) % t.cores), spine_core);
    }
  }
  return graph;
}

}  // namespace heddle
