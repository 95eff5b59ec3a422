// The interface to METIS: a weighted graph into parts. Its callers decide which parts to use.
#pragma once

#include <vector>

#include "partition/cut/graph.hpp"

namespace heddle {

enum class MetisMethod : u8 { kway, bisection };

struct MetisRequest {
  u32 parts = 2;
  std::vector<u32> shares = {};  // [part] share of the weight of all vertices, any unit; empty: even
  bool in_one_piece = false;     // k-way parts of a connected graph are to be connected, too
};

/// The part of every vertex: about its share of `vertex_weight` each, and little edge weight between them. Equal input
/// gives an equal result with the same METIS and C library (whose rand() it uses). Throws std::bad_alloc and
/// std::runtime_error when METIS fails.
std::vector<u32> metis_parts(const CutGraph& graph, const std::vector<u64>& vertex_weight, MetisMethod method,
                             const MetisRequest& request);

}  // namespace heddle
