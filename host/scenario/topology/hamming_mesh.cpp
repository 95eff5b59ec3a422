// A HammingMesh (Hoefler et al., SC 2022): boards of accelerators in a mesh, and a switch for each line of accelerators
// through a row or a column of boards.
//
// The paper's accelerators forward packets of others. Endpoints do not forward here, so each accelerator is a leaf of
// its own with one host: link.host_rate is what the accelerator itself sends, in the paper four times
// layer.leaf_spine.rate, and [tier.leaf] is about what it forwards. The paper's four planes are one here.
#include <fmt/format.h>

#include <array>

#include "host/scenario/topology/leaves_with_hosts.hpp"

namespace heddle {
namespace {

constexpr std::string_view kHx2Mesh = "Hoefler et al., SC 2022: the small Hx2Mesh, 1,024 accelerators";
constexpr std::array kMeshDimensions = {
    Dimension{"board_columns", 2, 1, 64,
              "accelerators in each row of a board: leaves with one GPU each, whose link.host_rate is what it sends "
              "itself; cables on a board have layer.leaf_spine.rate and link.host_propagation",
              kHx2Mesh},
    Dimension{"board_rows", 2, 1, 64, "accelerators in each column of a board; GPUs count row by row, board by board",
              kHx2Mesh},
    Dimension{"columns", 16, 1, 1024,
              "boards in each row; a spine joins both ends of a line of accelerators through all of them", kHx2Mesh},
    Dimension{"rows", 16, 1, 1024, "boards in each column; likewise, by the spines behind those of all rows", kHx2Mesh},
};

/// Accelerators and boards in one direction.
struct MeshSide {
  u32 on_board, boards;
  u32 length() const { return on_board * boards; }
};

struct HammingMesh {
  MeshSide x, y;

  LeafCounts counts() const { return {u64{x.length()} * y.length(), 1, u64{x.length()} + y.length()}; }
  NodeId leaf_at(u32 column, u32 row) const {
    const u32 board = row / y.on_board * x.boards + column / x.on_board;
    const u32 row_of_board = board * y.on_board + row % y.on_board;
    return counts().leaf(row_of_board * x.on_board + column % x.on_board);
  }
};

/// Joins a line of accelerators through all boards: neighbours on a board to each other, both ends to the spine.
template <class LeafAt>
void add_line(const MeshSide& side, NodeId spine, const LeafAt& leaf_at, const GraphInput& input, Graph& graph) {
  const LayerOptions& off_board = input.leaves.layers[0];
  const auto join = [&](u32 at, NodeId to, TimePs propagation_ps) {
    graph.cables.push_back({leaf_at(at), to, off_board.bits_per_s, propagation_ps});
  };
  for (u32 at = 0; at < side.length(); ++at) {
    const bool is_first = at % side.on_board == 0, is_last = (at + 1) % side.on_board == 0;
    if (is_first) join(at, spine, off_board.propagation_ps);
    if (is_last) join(at, spine, off_board.propagation_ps);
    if (!is_last) join(at, leaf_at(at + 1), input.link.host_propagation_ps);
  }
}

Graph build_hamming_mesh(const GraphInput& input) {
  const HammingMesh mesh{{input.dimension("board_columns"), input.dimension("columns")},
                         {input.dimension("board_rows"), input.dimension("rows")}};
  const LeafCounts counts = mesh.counts();
  Graph graph = leaves_with_hosts(counts, input);
  for (u64 s = 0; s < counts.other_switches; ++s) graph.nodes.push_back({kSpine, 0, fmt::format("spine{}", s)});
  u32 spine = 0;
  for (u32 row = 0; row < mesh.y.length(); ++row) {
    const auto leaf_at = [&](u32 column) { return mesh.leaf_at(column, row); };
    add_line(mesh.x, counts.other_switch(spine++), leaf_at, input, graph);
  }
  for (u32 column = 0; column < mesh.x.length(); ++column) {
    const auto leaf_at = [&](u32 row) { return mesh.leaf_at(column, row); };
    add_line(mesh.y, counts.other_switch(spine++), leaf_at, input, graph);
  }
  return graph;
}

}  // namespace

TopologyInfo hamming_mesh() {
  return {"hamming_mesh", build_hamming_mesh, "boards of accelerators in a mesh, under spines of rows and columns",
          true, kMeshDimensions};
}

}  // namespace heddle
