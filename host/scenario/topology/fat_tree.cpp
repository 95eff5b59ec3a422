// A fat tree: pods of leaves and spines under cores; k-ary, or with other numbers of uplinks.
#include <fmt/format.h>

#include <array>

#include "host/base/error.hpp"
#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kJudgement = "engineering judgement: a pod of 1,024 GPUs under 64-port switches, 1:1";
constexpr std::array kAboveFatTree = dimensions_above_leaves(32, 32, 1024, 32, kJudgement);
constexpr std::array kOfFatTree = {
    Dimension{"radix", 0, 0, 128,
              "k, even: k pods of k/2 leaves and k/2 spines, k/2 GPUs a leaf, (k/2)^2 cores; 0: the other keys give "
              "the dimensions",
              "Al-Fares et al., SIGCOMM 2008"},
    Dimension{"pods", 4, 1, 4096, "pods; one has no cores above it", kJudgement},
    Dimension{"leaves", 32, 1, 4096, "leaves of each pod", kJudgement},
    Dimension{"gpus_per_leaf", 32, 1, 4095, "GPUs that have a port of their NIC on each leaf", kJudgement},
};
constexpr auto kFatTreeDimensions = joined(kOfFatTree, kAboveFatTree, kPortDimensions);

LeafTree of_radix(u32 k, const GraphInput& input) {
  for (const std::string_view key : input.given()) {
    if (key == "radix" || key == kPortDimensions[0].key || key == kPortDimensions[1].key) continue;
    throw ConfigError(
        fmt::format("topology.fat_tree.{} would have no effect, as radix = {} gives all dimensions of a plane; leave "
                    "out one of them",
                    key, k));
  }
  if (k % 2 != 0 || k < 4) {
    throw ConfigError(fmt::format(
        "topology.fat_tree.radix = {}: half of a switch's ports lead up and half of them down, so it must be even and "
        "at least 4; take {}, or 0 and the other keys of [topology.fat_tree]",
        k, std::max(4u, k + k % 2)));
  }
  const u32 half = k / 2;
  return {input.dimension("planes"), input.dimension("leaves_per_nic"), k, half, half, half, half, half * half, half};
}

Graph build_fat_tree(const GraphInput& input) {
  const u32 radix = input.dimension("radix");
  const LeafTree tree = radix != 0 ? of_radix(radix, input)
                                   : leaf_tree_of(input, input.dimension("leaves"), input.dimension("gpus_per_leaf"));
  return build_leaf_tree(tree, input, [&](EndpointId e) { return e / tree.hosts; });
}

}  // namespace

TopologyInfo fat_tree() {
  return {"fat_tree", build_fat_tree, "pods of leaves and spines under cores", true, kFatTreeDimensions};
}

}  // namespace heddle
