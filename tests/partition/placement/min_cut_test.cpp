// Placement by least cut: properties of every placement, graphs with a known best division, and all divisions of small
// ones.
#include "partition/placement/min_cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "partition/placement/improvement.hpp"
#include "tests/property/draw.hpp"

namespace heddle {
namespace {

using property::Draw;
using Servers = std::vector<u32>;

ServerGraph graph_of(u32 servers, const std::vector<WeightedEdge>& edges, u64 each_pair = 0) {
  return {make_graph(std::vector<u64>(servers, 1), {}, edges), each_pair};
}

/// A building of `zones` of `racks` of `servers`.
struct Building {
  u32 zones, racks, servers;
  u32 all() const { return zones * racks * servers; }
  Servers zone_of() const { return numbered(racks * servers); }
  Servers rack_of() const { return numbered(servers); }
  Servers numbered(u32 size) const {
    Servers number;
    for (u32 s = 0; s < all(); ++s) number.push_back(s / size);
    return number;
  }
};

Servers in_order(u32 servers, u32 first = 0) {
  Servers all;
  for (u32 s = first; s < first + servers; ++s) all.push_back(s);
  return all;
}

u64 between(const ServerGraph& graph, const Servers& servers, const Servers& group_of) {
  Servers groups;
  for (const u32 s : servers) groups.push_back(group_of[s]);
  return weight_between(graph, groups);
}

ServerGraph random_graph(Draw& draw, u32 servers, u32 edges) {
  std::vector<WeightedEdge> all;
  for (u32 e = 0; e < edges; ++e) {
    const u32 a = static_cast<u32>(draw.below(servers)), b = static_cast<u32>(draw.below(servers));
    all.push_back({a, b, draw.between(1, 1000)});
  }
  return graph_of(servers, all, draw.percent(20) ? draw.below(50) : 0);
}

TEST(MinCut, OfRandomGraphsKeepsToWhatIsFree) {
  for (u64 seed = 0; seed < 200; ++seed) {
    Draw draw(seed, "min cut");
    const Building b{static_cast<u32>(draw.between(1, 5)), static_cast<u32>(draw.between(1, 5)),
                     static_cast<u32>(draw.between(1, 5))};
    Servers free;
    for (u32 s = 0; s < b.all(); ++s) {
      if (draw.percent(70)) free.push_back(s);
    }
    if (free.empty()) continue;
    const u32 n = static_cast<u32>(draw.between(1, free.size()));
    const ServerGraph graph = random_graph(draw, n, n * static_cast<u32>(draw.below(4)));
    const Servers placed = place_min_cut(graph, free, b.zone_of(), b.rack_of());
    ASSERT_EQ(placed.size(), n) << seed;
    EXPECT_EQ(std::set<u32>(placed.begin(), placed.end()).size(), n) << seed;
    for (const u32 s : placed) EXPECT_TRUE(std::binary_search(free.begin(), free.end(), s)) << seed;
    EXPECT_EQ(placed, place_min_cut(graph, free, b.zone_of(), b.rack_of())) << seed << ": equal input, equal result";
    const Servers contiguous(free.begin(), free.begin() + n);
    EXPECT_LE(std::pair(between(graph, placed, b.zone_of()), between(graph, placed, b.rack_of())),
              std::pair(between(graph, contiguous, b.zone_of()), between(graph, contiguous, b.rack_of())))
        << seed;
  }
}

/// Cliques of these sizes, whose vertices take turns.
ServerGraph cliques(const std::vector<u32>& sizes) {
  std::vector<std::vector<u32>> members(sizes.size());
  u32 n = 0;
  for (bool any = true; any;) {
    any = false;
    for (size_t c = 0; c < sizes.size(); ++c) {
      if (members[c].size() < sizes[c]) members[c].push_back(n++), any = true;
    }
  }
  std::vector<WeightedEdge> edges;
  for (const auto& clique : members) {
    for (const u32 a : clique) {
      for (const u32 b : clique) {
        if (a < b) edges.push_back({a, b, 10});
      }
    }
  }
  for (u32 v = 1; v < n; ++v) edges.push_back({v - 1, v, 1});
  return graph_of(n, edges);
}

TEST(MinCut, CliquesLandInZonesOfTheirOwn) {
  const Building b{2, 2, 2};
  // Eight servers in a row, every second one of the same clique: only the seven edges of weight 1 cross.
  EXPECT_EQ(
      between(cliques({4, 4}), place_min_cut(cliques({4, 4}), in_order(8), b.zone_of(), b.rack_of()), b.zone_of()), 7u);
  const Building larger{2, 4, 4};
  const ServerGraph two = cliques({16, 16});
  EXPECT_EQ(between(two, place_min_cut(two, in_order(32), larger.zone_of(), larger.rack_of()), larger.zone_of()), 31u);
  EXPECT_EQ(between(two, in_order(32), larger.zone_of()), 2 * 8 * 8 * 10u + 1);
}

TEST(MinCut, ZonesNeedNotBeFull) {
  // Two cliques of 3 where two zones have room for 4 each: filling one would cut a clique.
  const Building b{2, 4, 1};
  const ServerGraph two = cliques({3, 3});
  EXPECT_EQ(between(two, place_min_cut(two, in_order(8), b.zone_of(), b.rack_of()), b.zone_of()), 5u);
}

TEST(MinCut, ZonesOfDifferentRoom) {
  const Building b{3, 2, 4};
  Servers free = {0, 1, 2, 8, 9, 10, 11, 12, 16};  // 3, 5 and 1
  const ServerGraph graph = cliques({5, 3});
  const Servers placed = place_min_cut(graph, free, b.zone_of(), b.rack_of());
  std::map<u32, u32> in_zone;
  for (const u32 s : placed) ++in_zone[s / 8];
  EXPECT_EQ(in_zone, (std::map<u32, u32>{{0, 3}, {1, 5}}));
  EXPECT_EQ(between(graph, placed, b.zone_of()), 6u);  // 0 1 0 1 0 1 0 0: all neighbours cross but the last
}

TEST(MinCut, EqualTrafficBetweenAllFillsTheFullestZones) {
  const Building b{3, 2, 4};
  const Servers free = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};  // 1, 8, 2
  const Servers eight = place_min_cut(graph_of(8, {}, 5), free, b.zone_of(), b.rack_of());
  EXPECT_EQ(eight, in_order(8, 8));
  const ServerGraph nine = graph_of(9, {}, 5);
  EXPECT_EQ(between(nine, place_min_cut(nine, free, b.zone_of(), b.rack_of()), b.zone_of()), 5 * 8u * 1);
}

ServerGraph ring(u32 servers) {
  std::vector<WeightedEdge> edges;
  for (u32 v = 0; v < servers; ++v) edges.push_back({v, (v + 1) % servers, 1});
  return graph_of(servers, edges);
}

TEST(MinCut, ARingCrossesEachBorderOnce) {
  const Building b{4, 3, 2};
  EXPECT_EQ(place_min_cut(ring(24), in_order(24), b.zone_of(), b.rack_of()), in_order(24)) << "as good as can be";
  // The servers start in the middle of a zone: in order they would need a fourth one.
  const ServerGraph graph = ring(18);
  const Servers placed = place_min_cut(graph, in_order(21, 3), b.zone_of(), b.rack_of());
  EXPECT_EQ(between(graph, placed, b.zone_of()), 3u);
  EXPECT_EQ(between(graph, placed, b.rack_of()), 9u);
  EXPECT_EQ(between(graph, in_order(18, 3), b.zone_of()), 4u);
}

TEST(MinCut, WithoutZonesItIsRacksThatCount) {
  // Pairs with distant ranks, in racks of two.
  std::vector<WeightedEdge> edges;
  for (u32 v = 0; v < 8; ++v) edges.push_back({v, v + 8, 7});
  const ServerGraph graph = graph_of(16, edges);
  const Building b{1, 8, 2};
  EXPECT_EQ(between(graph, place_min_cut(graph, in_order(16), b.zone_of(), b.rack_of()), b.rack_of()), 0u);
  const Building star{1, 1, 16};
  EXPECT_EQ(place_min_cut(graph, in_order(16), star.zone_of(), star.rack_of()), in_order(16));
}

/// The least weight between parts over all divisions.
u64 min_between(const ServerGraph& graph, const std::vector<u32>& room, Servers part = {}) {
  if (part.size() == graph.servers()) return weight_between(graph, part);
  u64 least = ~u64{0};
  for (u32 p = 0; p < room.size(); ++p) {
    if (std::count(part.begin(), part.end(), p) == room[p]) continue;
    Servers next = part;
    next.push_back(p);
    least = std::min(least, min_between(graph, room, std::move(next)));
  }
  return least;
}

/// 186 of these 200 are optimal, and their sum is within 2 % of the optimum.
TEST(Division, IsMostlyTheBestOfAllOfSmallGraphs) {
  const std::vector<std::vector<u32>> rooms = {{4, 4}, {6, 2}, {5, 5}, {3, 3, 2}, {4, 4, 2}};
  u64 sum = 0, min_sum = 0;
  u32 best = 0, cases = 0;
  for (u64 seed = 0; seed < 40; ++seed) {
    for (const std::vector<u32>& room : rooms) {
      Draw draw(seed, "small graph");
      const ServerGraph graph = random_graph(draw, 8, 14);
      const u64 found = weight_between(graph, divide_servers(graph, room)), least = min_between(graph, room);
      ASSERT_GE(found, least);
      best += found == least;
      ++cases;
      sum += found;
      min_sum += least;
    }
  }
  EXPECT_GE(best, cases * 9 / 10);
  EXPECT_LE(sum, min_sum * 21 / 20);
}

TEST(Division, OfAnyPartsIsMadeToFit) {
  const ServerGraph graph = cliques({6, 6});
  const std::vector<u32> room = {6, 3, 3};
  Servers part(12, 1);
  make_fit(graph, room, part);
  for (u32 p = 0; p < 3; ++p) EXPECT_EQ(std::count(part.begin(), part.end(), p), room[p]) << p;
  const u64 before = weight_between(graph, part);
  improve(graph, room, part);
  for (u32 p = 0; p < 3; ++p) EXPECT_EQ(std::count(part.begin(), part.end(), p), room[p]) << p;
  EXPECT_LE(weight_between(graph, part), before);
  EXPECT_EQ(weight_between(graph, part), 3 * 3 * 10 + 11u) << "one clique whole, one in halves";
}

TEST(Division, WeightBetweenPartsByHand) {
  const ServerGraph graph = graph_of(4, {{0, 1, 3}, {1, 2, 5}, {2, 3, 7}, {3, 0, 11}, {0, 1, 100}}, 2);
  EXPECT_EQ(weight_between(graph, {0, 0, 1, 1}), 5 + 11 + 2 * 4u);
  EXPECT_EQ(weight_between(graph, {0, 1, 2, 3}), 126 + 2 * 6u);
  EXPECT_EQ(weight_between(graph, {5, 5, 5, 5}), 0u);
  const Servers odd = {1, 3};
  EXPECT_EQ(weight_between(part_of(graph, odd), {0, 1}), 2u);
}

}  // namespace
}  // namespace heddle
