// A torus: switches in rows and columns, each with some GPUs, and every row and every column closed to a ring.
//
// All shortest paths count, so packets wait for each other around a ring of four switches, and around a square whose
// corners they turn in every order: with PFC, tori can deadlock. `check` names the links of such a cycle.
#include <array>

#include "host/scenario/topology/leaves_with_hosts.hpp"

namespace heddle {
namespace {

constexpr std::string_view kTpuPod = "Jouppi et al., CACM 63(7), 2020: a pod of 256 TPU v2 is a torus of 16 x 16";
constexpr std::array kTorusDimensions = {
    Dimension{"columns", 16, 1, 4096,
              "leaves of each row, a ring; 2: one neighbour, 1: none. Leaf r * columns + c is in row r and column c; "
              "layer.leaf_spine describes the cables between leaves",
              kTpuPod},
    Dimension{"rows", 16, 1, 4096, "leaves of each column, a ring", kTpuPod},
    Dimension{"gpus_per_leaf", 1, 1, 4095, "GPUs, and so NICs, on each leaf", kTpuPod},
    Dimension{"cables_per_neighbour", 1, 1, 16, "parallel cables between two neighbours", kTpuPod},
};

/// Calls join(i, j) for the neighbours on a ring of `count`.
template <class Join>
void for_each_on_ring(u32 count, const Join& join) {
  for (u32 i = 0; i + 1 < count; ++i) join(i, i + 1);
  if (count > 2) join(count - 1, 0);
}

Graph build_torus(const GraphInput& input) {
  const u32 columns = input.dimension("columns"), rows = input.dimension("rows");
  const LeafCounts counts{u64{columns} * rows, input.dimension("gpus_per_leaf")};
  Graph graph = leaves_with_hosts(counts, input);
  const LayerOptions& between = input.leaves.layers[0];
  const u32 cables = input.dimension("cables_per_neighbour");
  const auto join = [&](u32 a, u32 b) {
    for (u32 i = 0; i < cables; ++i)
      graph.cables.push_back({counts.leaf(a), counts.leaf(b), between.bits_per_s, between.propagation_ps});
  };
  for (u32 row = 0; row < rows; ++row)
    for_each_on_ring(columns, [&](u32 a, u32 b) { join(row * columns + a, row * columns + b); });
  for (u32 column = 0; column < columns; ++column)
    for_each_on_ring(rows, [&](u32 a, u32 b) { join(a * columns + column, b * columns + column); });
  return graph;
}

}  // namespace

TopologyInfo torus() {
  return {"torus", build_torus, "leaves in rows and columns that are rings", true, kTorusDimensions};
}

}  // namespace heddle
