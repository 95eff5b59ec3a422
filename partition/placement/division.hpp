// What the servers of a job send each other, and its servers in parts with little between them.
#pragma once

#include <span>
#include <vector>

#include "partition/cut/graph.hpp"

namespace heddle {

/// Vertices are the job's servers in rank order; an edge weighs the bytes both ways. All together below 2^62.
struct ServerGraph {
  CutGraph edges;     // vertex weights and places are of no matter
  u64 each_pair = 0;  // besides, between every two of them

  u32 servers() const { return edges.vertices(); }
};

/// Of these vertices, ascending, and what is between them.
ServerGraph part_of(const ServerGraph& graph, std::span<const u32> vertices);

/// What is between different parts.
u64 weight_between(const ServerGraph& graph, const std::vector<u32>& part_of_vertex);

/// The part of every vertex: at most room[part] have the same, and little is between them. There is room for all. Never
/// more is between them than when vertices fill the parts in order.
std::vector<u32> divide_servers(const ServerGraph& graph, std::span<const u32> room);

}  // namespace heddle
