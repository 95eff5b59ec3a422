// Rails with nothing between them: NIC r of every server hangs on rail r, which is a switch or a tree of its own.
#include <array>

#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kRailOnly = "Wang et al., arXiv 2307.12169: rails without spines between them";
constexpr std::array kOfRailOnly = {
    Dimension{"rails", 8, 1, 64, "NICs, and so GPUs, of a server: job.gpus_per_server", kRailOnly},
    Dimension{"leaves", 4, 1, 4096, "leaves of each rail; one has no spines above it", kRailOnly},
    Dimension{"servers", 32, 1, 4095, "servers that have a NIC on each leaf", kRailOnly},
    Dimension{"spines", 8, 1, 4095, "spines of each rail", kRailOnly},
    Dimension{"uplinks_per_leaf", 32, 1, 4095,
              "spread over the rail's spines in turn; more than spines: parallel cables", kRailOnly},
};
constexpr auto kRailOnlyDimensions = joined(kOfRailOnly, kPortDimensions);

/// A rail is a pod without cores above it.
Graph build_rail_only(const GraphInput& input) {
  LeafTree tree{};
  const u32 rails = input.dimension("rails"), servers = input.dimension("servers");
  tree.planes = input.dimension("planes");
  tree.leaves_per_nic = input.dimension("leaves_per_nic");
  tree.pods = rails;
  tree.leaves = input.dimension("leaves") * tree.leaves_per_nic;
  tree.hosts = servers;
  tree.spines = input.dimension("leaves") == 1 && tree.leaves_per_nic == 1 ? 0 : input.dimension("spines");
  tree.leaf_uplinks = tree.spines == 0 ? 0 : input.dimension("uplinks_per_leaf");
  const u32 sets = input.dimension("leaves");
  Graph graph = build_leaf_tree(tree, input, [=](EndpointId e) { return e % rails * sets + e / rails / servers; });
  graph.nics_per_server = rails;
  graph.may_fall_apart = true;
  return graph;
}

}  // namespace

TopologyInfo rail_only() {
  return {"rail_only", build_rail_only, "a tree for each NIC of a server, nothing between them", true,
          kRailOnlyDimensions};
}

}  // namespace heddle
