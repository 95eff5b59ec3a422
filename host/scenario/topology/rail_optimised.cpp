// Rails: NIC r of every server of a unit hangs on leaf r of that unit, so GPUs of one number meet one switch up.
#include <array>

#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kSuperPod = "NVIDIA DGX SuperPOD reference architecture (B200, H100): a scalable unit";
constexpr std::array kDimensions = {
    Dimension{"pods", 1, 1, 4096, "pods of units; one has no cores above it", kSuperPod},
    Dimension{"units", 4, 1, 4096, "units of each pod, each with a leaf for every rail", kSuperPod},
    Dimension{"servers", 32, 1, 4095, "servers of each unit", kSuperPod},
    Dimension{"rails", 8, 1, 64, "NICs, and so GPUs, of a server: job.gpus_per_server", kSuperPod},
    Dimension{"spines", 16, 1, 4095, "spines of each pod", kSuperPod},
    Dimension{"uplinks_per_leaf", 32, 1, 4095,
              "spread over the pod's spines in turn; more than spines: parallel cables", kSuperPod},
    Dimension{"cores", 64, 1, 65536, "cores above all pods", kSuperPod},
    Dimension{"uplinks_per_spine", 32, 1, 4095,
              "spread over the cores in turn; spine s of every pod leads to the same ones", kSuperPod},
};

Graph build_rail_optimised(const GraphInput& input) {
  const u32 rails = input.dimension("rails"), servers = input.dimension("servers");
  const LeafTree tree{input.dimension("pods"),
                      input.dimension("units") * rails,
                      servers,
                      input.dimension("spines"),
                      input.dimension("uplinks_per_leaf"),
                      input.dimension("cores"),
                      input.dimension("uplinks_per_spine")};
  Graph graph = build_leaf_tree(tree, input, "topology.rail_optimised",
                                [&](EndpointId e) { return e / rails / servers * rails + e % rails; });
  graph.nics_per_server = rails;
  return graph;
}

}  // namespace

TopologyInfo rail_optimised() {
  return {"rail_optimised", build_rail_optimised, "units with a leaf for each NIC of a server, under spines and cores",
          true, kDimensions};
}

}  // namespace heddle
