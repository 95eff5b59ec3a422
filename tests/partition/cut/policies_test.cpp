// Policies on hand-made graphs, and the guarantees of divide() for every policy.
#include "partition/cut/policies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "partition/cut/parameters.hpp"
#include "tests/partition/cut/graphs.hpp"

namespace heddle {
namespace {

/// Sum of the edges between ranks.
u64 cut_weight(const CutGraph& graph, const std::vector<u32>& rank_of_vertex) {
  u64 sum = 0;
  for (u32 v = 0; v < graph.vertices(); ++v) {
    for (u32 k = graph.first[v]; k < graph.first[v + 1]; ++k) {
      if (rank_of_vertex[v] != rank_of_vertex[graph.neighbour[k]]) sum += graph.edge_weight[k];
    }
  }
  return sum / 2;
}

std::string refusal(const CutGraph& graph, const std::string& policy, u32 ranks) {
  try {
    divide(graph, policy, ranks);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

class Policies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Policies, testing::ValuesIn(policy_names()));

TEST_P(Policies, CutBetweenCliques) {
  const CutGraph two = chain_of_cliques(2, 6);
  const std::vector<u32> halves = divide(two, GetParam(), 2);
  EXPECT_EQ(cut_weight(two, halves), 1u) << "the bridge alone";
  EXPECT_EQ(std::count(halves.begin(), halves.end(), 0u), 6);
  const CutGraph four = chain_of_cliques(4, 8);
  EXPECT_EQ(cut_weight(four, divide(four, GetParam(), 4)), 3u) << "the three bridges";
  EXPECT_EQ(cut_weight(four, divide(four, GetParam(), 2)), 1u) << "the one in the middle";
}

TEST_P(Policies, RespectWeights) {
  for (const u64 scale : {u64{1}, u64{1'000'000'000'000}}) {  // sums beyond METIS's counters
    const CutGraph graph = row_of_racks({5 * scale, scale, scale, scale, scale, scale});
    const std::vector<u32> ranks = divide(graph, GetParam(), 2);
    EXPECT_EQ(std::count(ranks.begin(), ranks.end(), ranks[0]), 1) << "the first is as heavy as all others";
  }
}

TEST_P(Policies, GiveEveryRankSomething) {
  const CutGraph row = row_of_racks({1, 1000, 1, 1, 1000, 1, 1});
  const CutGraph cliques = chain_of_cliques(3, 3);
  for (const CutGraph& graph : {row, cliques}) {
    for (u32 ranks = 1; ranks <= graph.vertices(); ++ranks) {
      const std::vector<u32> rank_of_vertex = divide(graph, GetParam(), ranks);
      ASSERT_EQ(rank_of_vertex.size(), graph.vertices());
      EXPECT_EQ(std::set<u32>(rank_of_vertex.begin(), rank_of_vertex.end()).size(), ranks);
      EXPECT_LT(*std::max_element(rank_of_vertex.begin(), rank_of_vertex.end()), ranks);
    }
  }
}

TEST_P(Policies, SameInputSameResult) {
  const CutGraph graph = chain_of_cliques(5, 7);
  const std::vector<u32> once = divide(graph, GetParam(), 3);
  EXPECT_EQ(divide(graph, GetParam(), 3), once);
  divide(chain_of_cliques(2, 9), GetParam(), 2);  // must leave no state behind
  EXPECT_EQ(divide(graph, GetParam(), 3), once);
}

TEST_P(Policies, TakeGraphsInPieces) {
  std::vector<WeightedEdge> edges = {{0, 1, 4}, {2, 3, 4}};  // vertex 4 has no edges
  const CutGraph graph = make_graph({10, 10, 10, 10, 10}, std::vector<VertexPlace>(5, {.rack = true}), edges);
  for (u32 ranks = 2; ranks <= 5; ++ranks) {
    const std::vector<u32> rank_of_vertex = divide(graph, GetParam(), ranks);
    EXPECT_EQ(std::set<u32>(rank_of_vertex.begin(), rank_of_vertex.end()).size(), ranks);
  }
}

TEST_P(Policies, RefuseMoreRanksThanVerticesAndNone) {
  const CutGraph graph = chain_of_cliques(2, 2);
  EXPECT_NE(refusal(graph, GetParam(), 8).find("8 ranks for 4 racks and 0 other switches"), std::string::npos);
  EXPECT_NE(refusal(graph, GetParam(), 8).find("ask for at most 4"), std::string::npos);
  EXPECT_NE(refusal(graph, GetParam(), 0).find("0 ranks"), std::string::npos);
}

TEST(Policies, NamesAreThoseOfTheConfiguration) {
  std::string names;
  for (const std::string& name : policy_names()) names += (names.empty() ? "" : "|") + name;
  EXPECT_EQ(names, kPartitionParameters[0].choices);
  EXPECT_NE(refusal(chain_of_cliques(2, 2), "kway", 2).find("\"kway\"; choose one of metis, blocks"),
            std::string::npos);
}

TEST(Blocks, KeepZonesWholeAndDealSpinesEvenly) {
  // two zones of 4 racks and 2 spines each, 2 spines above: each of 2 ranks has a zone with its spines and one spine
  // above
  std::vector<VertexPlace> place(8);
  for (u32 v = 0; v < 8; ++v) place[v] = {.zone = v / 4, .rack = true};
  std::vector<WeightedEdge> edges;
  for (u32 zone = 0; zone < 2; ++zone) {
    for (u32 spine = 8 + 2 * zone; spine < 10 + 2 * zone; ++spine) {
      for (u32 rack = 4 * zone; rack < 4 * zone + 4; ++rack) edges.push_back({rack, spine, 1});
      for (u32 above = 12; above < 14; ++above) edges.push_back({spine, above, 1});
    }
  }
  place.resize(14, {.zone = 0, .rack = false});
  const CutGraph graph = make_graph(std::vector<u64>(14, 7), place, edges);
  EXPECT_EQ(divide(graph, "blocks", 2), (std::vector<u32>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1}));
}

}  // namespace
}  // namespace heddle
