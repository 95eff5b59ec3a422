// Whole worlds in parts: sums, racks, the 24,576 GPUs, and ranks of a cut that have the results of one process.
#include "partition/cut/cut.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>

#include "host/config/config.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "partition/cut/expected_packets.hpp"
#include "partition/cut/policies.hpp"
#include "tests/partition/cut/graphs.hpp"
#include "tests/property/ranks.hpp"

namespace heddle {
namespace {

class Cuts : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Cuts, testing::ValuesIn(policy_names()));

TEST_P(Cuts, SumsOverRanksAreTheWhole) {
  const World world = world_of_text(kTwoZones);
  const std::vector<u64> parts = expect_packets(world).parts;
  const u64 all_work = cut_world(world, GetParam(), 1).load[0].work_parts;
  for (u32 ranks = 1; ranks <= 14; ++ranks) {
    const Cut cut = cut_world(world, GetParam(), ranks);
    u64 nodes = 0, endpoints = 0, work = 0, links = 0, pair_links = 0, pair_packets = 0, crossing = 0, packets = 0;
    for (const RankLoad& l : cut.load) {
      EXPECT_GT(l.nodes, 0u);
      nodes += l.nodes, endpoints += l.endpoints, work += l.work_parts, links += l.cut_links;
    }
    for (const RankPair& p : cut.pairs) {
      EXPECT_LT(p.a, p.b);
      pair_links += p.links, pair_packets += p.packet_parts;
    }
    for (LinkId l = 0; l < parts.size(); ++l) {
      const Link& link = world.fabric.links[l];
      if (cut.rank_of_node[link.src] == cut.rank_of_node[link.dst]) continue;
      ++crossing, packets += parts[l];
    }
    EXPECT_EQ(nodes, world.fabric.nodes.size());
    EXPECT_EQ(endpoints, world.fabric.endpoints);
    EXPECT_EQ(work, all_work);
    EXPECT_EQ(links, crossing);
    EXPECT_EQ(pair_links, crossing);
    EXPECT_EQ(cut.cut_links, crossing);
    EXPECT_EQ(pair_packets, packets);
    EXPECT_EQ(cut.cut_packet_parts, packets);
    EXPECT_EQ(cut.all_packet_parts, std::accumulate(parts.begin(), parts.end(), u64{0}));
    EXPECT_GE(cut.balance(), 1);
  }
}

TEST_P(Cuts, OneRankCutsNothing) {
  const Cut cut = cut_world(world_of_text(kTwoZones), GetParam(), 1);
  EXPECT_EQ(cut.cut_links, 0u);
  EXPECT_EQ(cut.cut_share(), 0);
  EXPECT_EQ(cut.balance(), 1);
  EXPECT_TRUE(cut.pairs.empty());
  EXPECT_EQ(cut.exchange.link, kNone);
}

TEST_P(Cuts, NeverSplitARackOrNvlink) {
  World world = world_of_text(kTwoZones);
  world.collectives.connections.push_back({.src = 3, .dst = 20, .nvlink = true});
  for (const u32 ranks : {2u, 3u, 5u, 13u}) {
    const Cut cut = cut_world(world, GetParam(), ranks);
    for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
      if (e != 3 && e != 20) {
        EXPECT_EQ(cut.rank_of_node[e], cut.rank_of_node[world.routing.attach_switch[e]]);
      }
    }
    EXPECT_EQ(cut.rank_of_node[3], cut.rank_of_node[20]);
  }
  EXPECT_THROW(cut_world(world, GetParam(), 16), std::invalid_argument) << "14 switches, and a server on two of them";
}

TEST_P(Cuts, TwoZonesAreCutBetweenThem) {
  const World world = world_of_text(kTwoZones);
  const Cut cut = cut_world(world, GetParam(), 2);
  for (NodeId n = 1; n < world.fabric.nodes.size(); ++n) {
    if (world.fabric.nodes[n].tier == kAtsw) continue;
    EXPECT_EQ(cut.rank_of_node[n] == cut.rank_of_node[0], world.fabric.nodes[n].zone == 0) << world.fabric.names[n];
  }
}

/// Congested enough for pauses, marks and CNPs to cross ranks; an epoch so long that latencies bound the period.
TEST_P(Cuts, RanksFindWhatOneProcessFinds) {
  const World world =
      world_of_text(kTwoZones, {"generator.0.kind=incast", "generator.0.fan_in=24", "generator.0.bytes=\"512 KiB\"",
                                "dcqcn.enabled=true", "buffer.rtsw.kind=static", "buffer.rtsw.bytes=\"500 KB\"",
                                "simulation.epoch=\"5242880 ps\""});
  ASSERT_NE(cut_world(world, GetParam(), 2).exchange.link, kNone);
  Engine engine(world, {});
  while (engine.advance(kNever)) {
  }
  const Outcome whole = engine.outcome();
  EXPECT_EQ(whole.reason, EndReason::complete);
  EXPECT_GT(engine.totals().pauses, 0u);
  for (const u32 ranks : {1u, 2u, 3u, 8u}) {
    const std::vector<Part> parts = cut_world(world, GetParam(), ranks).parts();
    ASSERT_EQ(parts.size(), ranks);
    const Outcome ranked = property::outcome_in_ranks(world, {}, parts);
    EXPECT_EQ(ranked.digest, whole.digest) << ranks << " ranks";
    EXPECT_EQ(ranked.end_ps, whole.end_ps);
  }
}

/// 24,576 GPUs in 8 pods.
TEST_P(Cuts, LargeFabricsFastAtPodsAndEvenly) {
  const World world = build_world(load_config("configs/meta_24k.toml"));
  for (const u32 ranks : {2u, 4u, 8u}) {
    const auto start = std::chrono::steady_clock::now();
    const Cut cut = cut_world(world, GetParam(), ranks);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << "under a second where nothing slows it; sanitizers do";
    EXPECT_LE(cut.balance(), 1.1);
    std::vector<std::set<u32>> ranks_of_zone(8);
    for (NodeId n = 0; n < world.fabric.nodes.size(); ++n) {
      if (world.fabric.nodes[n].tier != kAtsw) ranks_of_zone[world.fabric.nodes[n].zone].insert(cut.rank_of_node[n]);
    }
    for (const std::set<u32>& of_zone : ranks_of_zone) EXPECT_EQ(of_zone.size(), 1u) << ranks << " ranks";
    for (const RankLoad& l : cut.load) EXPECT_EQ(l.endpoints, 24'576u / ranks);
    EXPECT_EQ(cut.exchange.period_ps % world.clocks.tick_ps, 0) << "what is cut has a latency of several ticks";
  }
}

}  // namespace
}  // namespace heddle
