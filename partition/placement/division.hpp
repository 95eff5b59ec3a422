// The traffic between a job's servers, and the division of these into parts with little traffic between them.
#pragma once

#include <span>
#include <vector>

#include "partition/cut/graph.hpp"

namespace heddle {

/// Vertices are the job's servers in rank order; an edge weighs the bytes in both directions. The sum is below 2^62.
struct ServerGraph {
  CutGraph edges;     // vertex weights and places are unused
  u64 each_pair = 0;  // additional bytes between every two servers

  u32 servers() const { return edges.vertices(); }
};

/// The subgraph of these vertices, ascending.
ServerGraph part_of(const ServerGraph& graph, std::span<const u32> vertices);

/// The weight between different parts.
u64 weight_between(const ServerGraph& graph, const std::vector<u32>& part_of_vertex);

/// The part of every vertex: at most room[part] vertices in each, with little weight between them. There is room for
/// all. The weight is never more than when vertices fill the parts in order.
std::vector<u32> divide_servers(const ServerGraph& graph, std::span<const u32> room);

}  // namespace heddle
