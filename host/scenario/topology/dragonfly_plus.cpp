// Dragonfly+: groups of leaves under spines, whose spines are joined group to group.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "host/base/error.hpp"
#include "host/scenario/topology/leaf_tree.hpp"

namespace heddle {
namespace {

constexpr std::string_view kOf64Ports = "Shpiner et al. (HiPINEB 2017), with switches of 64 ports, half of them up";
constexpr std::array kOfDragonfly = {
    Dimension{"groups", 5, 1, 4096, "groups, each joined with every other one", "engineering judgement: 5,120 GPUs"},
    Dimension{"leaves", 32, 1, 4096, "leaves of each group", kOf64Ports},
    Dimension{"gpus_per_leaf", 32, 1, 4095, "GPUs that have a port of their NIC on each leaf", kOf64Ports},
    Dimension{"spines", 32, 1, 4095, "spines of each group", kOf64Ports},
    Dimension{"uplinks_per_leaf", 32, 1, 4095,
              "spread over the group's spines in turn; more than spines: parallel cables", kOf64Ports},
    Dimension{"global_links_per_spine", 32, 1, 4095,
              "cables from each spine to other groups' spines; those of a group are divided evenly over the others",
              kOf64Ports},
};
constexpr auto kDragonflyDimensions = joined(kOfDragonfly, kPortDimensions);

/// How many cables join two groups. Throws ConfigError.
u32 cables_of_a_pair(const LeafTree& tree, u32 links_per_spine) {
  const u32 others = tree.pods - 1;
  const u64 of_group = u64{tree.spines} * links_per_spine;
  if (of_group % others != 0) {
    throw ConfigError(
        fmt::format("topology.dragonfly_plus.global_links_per_spine = {}: the {} global links of a group ({} spines) "
                    "cannot be divided evenly over {} other groups; take a multiple of {}, or other groups or spines",
                    links_per_spine, of_group, tree.spines, others, others / std::gcd(others, tree.spines)));
  }
  if (u64{tree.planes} * tree.pods * of_group / 2 > kMaxCables) {
    throw ConfigError(
        fmt::format("topology.dragonfly_plus: its global links alone are more cables than can be held "
                    "({}); make the fabric smaller",
                    kMaxCables));
  }
  return static_cast<u32>(of_group / others);
}

/// Global link j of a group leads d = 1 + j mod (groups - 1) groups further on. The group there sees this one at the
/// distance groups - d, and the same copy of the pair's cables joins both.
void add_global_links(const LeafTree& tree, u32 links_per_spine, u32 copies, const LayerOptions& layer, Graph& graph) {
  const auto spine = [&](u32 plane, u32 group, u32 distance, u32 copy) {
    const u32 link = copy * (tree.pods - 1) + distance - 1;
    return tree.spine(plane, group * tree.spines + link / links_per_spine);
  };
  for (u32 plane = 0; plane < tree.planes; ++plane)
    for (u32 a = 0; a < tree.pods; ++a)
      for (u32 b = a + 1; b < tree.pods; ++b)
        for (u32 copy = 0; copy < copies; ++copy)
          graph.cables.push_back({spine(plane, a, b - a, copy), spine(plane, b, tree.pods - (b - a), copy),
                                  layer.bits_per_s, layer.propagation_ps});
}

Graph build_dragonfly_plus(const GraphInput& input) {
  LeafTree tree{};
  tree.planes = input.dimension("planes");
  tree.leaves_per_nic = input.dimension("leaves_per_nic");
  tree.pods = input.dimension("groups");
  tree.leaves = input.dimension("leaves");
  tree.hosts = input.dimension("gpus_per_leaf");
  tree.spines = input.dimension("spines");
  tree.leaf_uplinks = input.dimension("uplinks_per_leaf");
  const u32 links = input.dimension("global_links_per_spine"),
            copies = tree.pods > 1 ? cables_of_a_pair(tree, links) : 0;
  Graph graph = build_leaf_tree(tree, input, [hosts = tree.hosts](EndpointId e) { return e / hosts; });
  if (copies > 0) add_global_links(tree, links, copies, input.leaves.layers[kSpineSpine], graph);
  return graph;
}

}  // namespace

TopologyInfo dragonfly_plus() {
  return {"dragonfly_plus", build_dragonfly_plus, "groups of leaves and spines, each joined with every other one", true,
          kDragonflyDimensions};
}

}  // namespace heddle
