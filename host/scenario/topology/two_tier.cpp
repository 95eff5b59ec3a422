// Leaves under spines, in one plane or several: what chips of many ports make of tens of thousands of GPUs.
#include <array>

#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kOf512 = "51.2T chips of 128 ports of 400G, half of them up: 8,192 GPUs in one plane";
constexpr std::array kOfTwoTier = {
    Dimension{"leaves", 128, 1, 4096, "leaves of each plane", kOf512},
    Dimension{"gpus_per_leaf", 64, 1, 4095, "GPUs that have a port of their NIC on each leaf", kOf512},
    Dimension{"spines", 64, 1, 4095, "spines of each plane", kOf512},
    Dimension{"uplinks_per_leaf", 64, 1, 4095, "spread over the spines in turn; more than spines: parallel cables",
              kOf512},
};
constexpr auto kTwoTierDimensions = joined(kOfTwoTier, kPortDimensions);

Graph build_two_tier(const GraphInput& input) {
  LeafTree tree{};
  tree.planes = input.dimension("planes");
  tree.leaves_per_nic = input.dimension("leaves_per_nic");
  tree.pods = 1;
  tree.leaves = input.dimension("leaves");
  tree.hosts = input.dimension("gpus_per_leaf");
  tree.spines = input.dimension("spines");
  tree.leaf_uplinks = input.dimension("uplinks_per_leaf");
  return build_leaf_tree(tree, input, [hosts = tree.hosts](EndpointId e) { return e / hosts; });
}

}  // namespace

TopologyInfo two_tier() { return {"two_tier", build_two_tier, "leaves under spines", true, kTwoTierDimensions}; }

}  // namespace heddle
