// The weighted graph that is cut, in compressed sparse rows. Policies see nothing else.
#pragma once

#include <span>
#include <vector>

#include "partition/cut/contraction.hpp"
#include "partition/cut/expected_packets.hpp"

namespace heddle {

/// The place of a vertex, for policies that follow the building.
struct VertexPlace {
  u32 zone = 0;
  bool rack = false;  // has endpoints
};

/// An undirected graph. Vertices are in the order of their least node.
struct CutGraph {
  std::vector<u32> first = {0};    // [vertex + 1]: neighbours of v are [first[v], first[v + 1])
  std::vector<u32> neighbour;      // ascending for each vertex; every edge stands here twice, none is a loop
  std::vector<u64> edge_weight;    // [as neighbour] packets in both directions, in 1/256
  std::vector<u64> vertex_weight;  // [vertex] work, in 1/256 of a packet-hop
  std::vector<VertexPlace> place;  // [vertex]

  u32 vertices() const { return static_cast<u32>(vertex_weight.size()); }
};

struct WeightedEdge {
  u32 a = 0, b = 0;
  u64 weight = 0;
};

/// Builds the graph; parallel edges are summed, loops dropped.
CutGraph make_graph(std::vector<u64> vertex_weight, std::vector<VertexPlace> place,
                    std::span<const WeightedEdge> edges);

/// Expected work of every node, in 1/256 of a packet-hop: packets sent (a switch: forwarded) and, at an endpoint,
/// received; and for every port 1/64 of a link's average packets, at least one part: checking an idle port costs a
/// little, too (our judgement).
std::vector<u64> node_work(const World& world, const ExpectedPackets& packets);

/// The graph of a World's vertices: sums of node work, and of packets on links between two vertices.
CutGraph graph_of(const World& world, const Contraction& contraction, const ExpectedPackets& packets);

}  // namespace heddle
