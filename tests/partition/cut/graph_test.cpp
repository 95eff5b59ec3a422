// The graph of a World: what one vertex contains, and that the sums lose nothing.
#include "partition/cut/graph.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/oracle/tiny_world.hpp"
#include "tests/partition/cut/graphs.hpp"

namespace heddle {
namespace {

u64 sum(const std::vector<u64>& values) { return std::accumulate(values.begin(), values.end(), u64{0}); }

TEST(CutGraph, AddsParallelEdgesAndDropsLoops) {
  const std::vector<WeightedEdge> edges = {{0, 1, 2}, {1, 0, 3}, {2, 2, 9}, {2, 1, 4}};
  const CutGraph graph = make_graph({1, 1, 1}, std::vector<VertexPlace>(3), edges);
  EXPECT_EQ(graph.first, (std::vector<u32>{0, 1, 3, 4}));
  EXPECT_EQ(graph.neighbour, (std::vector<u32>{1, 0, 2, 1}));
  EXPECT_EQ(graph.edge_weight, (std::vector<u64>{5, 5, 4, 4}));
}

TEST(Contraction, ARackIsOneVertexAndASpineItsOwn) {
  const World world = world_of_text(kTwoZones);
  const Contraction contraction = contract_racks(world);
  EXPECT_EQ(contraction.vertices, 8u + 4 + 2);
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    EXPECT_EQ(contraction.vertex_of_node[e], e / 4);
    EXPECT_EQ(contraction.vertex_of_node[world.routing.attach_switch[e]], e / 4);
  }
}

TEST(Contraction, AServerOnSeveralLeavesIsItsOwn) {
  World world = oracle::line(2, 2, 1);
  EXPECT_EQ(contract_racks(world).vertices, 2u);
  world.collectives.connections.push_back({.src = 1, .dst = 2, .nvlink = false});
  EXPECT_EQ(contract_racks(world).vertices, 2u);
  world.collectives.connections.push_back({.src = 1, .dst = 2, .nvlink = true});
  const Contraction spans = contract_racks(world);
  EXPECT_EQ(spans.vertices, 3u) << "GPUs 1 and 2, and two leaves with one GPU each";
  EXPECT_EQ(spans.vertex_of_node[1], spans.vertex_of_node[2]);
  EXPECT_EQ(spans.vertex_of_node[0], spans.vertex_of_node[world.routing.attach_switch[0]]);
  EXPECT_NE(spans.vertex_of_node[1], spans.vertex_of_node[0]);
}

TEST(CutGraph, OfAWorldHoldsAllWorkAndAllPacketsBetweenVertices) {
  const World world = world_of_text(kTwoZones);
  const Contraction contraction = contract_racks(world);
  const ExpectedPackets packets = expect_packets(world);
  const CutGraph graph = graph_of(world, contraction, packets);
  EXPECT_EQ(sum(graph.vertex_weight), sum(node_work(world, packets)));
  u64 between = 0;
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (contraction.vertex_of_node[link.src] != contraction.vertex_of_node[link.dst]) between += packets.parts[l];
  }
  EXPECT_EQ(sum(graph.edge_weight), 2 * between);
  for (u32 v = 0; v < graph.vertices(); ++v) {
    EXPECT_EQ(graph.place[v].rack, v < 8);
    if (v < 8) {
      EXPECT_EQ(graph.place[v].zone, v / 4);
    }
  }
}

TEST(CutGraph, WorkIsWhatIsSentForwardedAndReceived) {
  World world = oracle::line(1, 1, 1);  // nic 0, switch 2, switch 3, nic 1; 6 directed links
  world.roce.ack_every = 1;
  oracle::add_qp(world, 0, 1, {{100 * 4096, 0}});
  const std::vector<u64> work = node_work(world, expect_packets(world));
  const u64 port = 100 * kPacketParts / 64;  // every link carries 100 packets, data one way and ACKs the other
  EXPECT_EQ(work[0], 200 * kPacketParts + port);
  EXPECT_EQ(work[2], 200 * kPacketParts + 2 * port);
  EXPECT_EQ(work[1], work[0]);
  EXPECT_EQ(work[3], work[2]);
}

}  // namespace
}  // namespace heddle
