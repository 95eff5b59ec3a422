// Rails: NIC r of every server of a unit hangs on leaf r of that unit, so GPUs of one number meet one switch up.
#include <array>

#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kSuperPod = "NVIDIA DGX SuperPOD reference architecture (B200, H100): a scalable unit";
constexpr std::array kAboveRails = dimensions_above_leaves(16, 32, 64, 32, kSuperPod);
constexpr std::array kOfRails = {
    Dimension{"pods", 1, 1, 4096, "pods of units; one has no cores above it", kSuperPod},
    Dimension{"units", 4, 1, 4096, "units of each pod, each with a leaf (or leaves_per_nic) for every rail", kSuperPod},
    Dimension{"servers", 32, 1, 4095, "servers of each unit", kSuperPod},
    Dimension{"rails", 8, 1, 64, "NICs, and so GPUs, of a server: job.gpus_per_server", kSuperPod},
};
constexpr auto kRailDimensions = joined(kOfRails, kAboveRails, kPortDimensions);

Graph build_rail_optimised(const GraphInput& input) {
  const u32 rails = input.dimension("rails"), servers = input.dimension("servers");
  const u32 leaves = input.dimension("units") * rails * input.dimension("leaves_per_nic");
  Graph graph = build_leaf_tree(leaf_tree_of(input, leaves, servers), input,
                                [&](EndpointId e) { return e / rails / servers * rails + e % rails; });
  graph.nics_per_server = rails;
  return graph;
}

}  // namespace

TopologyInfo rail_optimised() {
  return {"rail_optimised", build_rail_optimised, "units with a leaf for each NIC of a server, under spines and cores",
          true, kRailDimensions};
}

}  // namespace heddle
