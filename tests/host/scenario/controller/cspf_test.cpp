// The controller's plan on small zones, by hand.
#include "host/scenario/controller/cspf.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "host/scenario/build.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/host/scenario/topology/worlds.hpp"
#include "tests/scratch.hpp"

namespace heddle {
namespace {

using testing_worlds::config_error_of;

/// 4 racks of 4 GPUs (rtsw 16..19) under 2 CTSWs (20, 21), one uplink to each.
World zone(const std::string& more = "") {
  return build_world(
      "[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 4\ngpus_per_rack = 4\nctsws = 2\n"
      "uplinks_per_rtsw = 2\n[routing]\npolicy = \"traffic_engineering\"\n" +
          (more.empty() ? "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n" : more),
      "test.toml");
}

/// The uplink of rtsw0 for packets from `src` to `group`; kNone: by hash.
u32 port_of(const World& world, EndpointId src, u32 group) {
  const LinkId nic = world.fabric.nodes[src].first_link;
  return world.routing.controller.at(0).port(world.fabric.links[nic].reverse, group);
}

TEST(Cspf, TheLargestFirstThenWhereItIsLeastUtilised) {
  World world = zone();
  // By size: 0 -> 1 takes port 4, 1 -> 2 the empty port 5, 2 -> 3 beside the smaller of both, 3 -> 1 port 4, as port 5
  // has 90 + 50.
  const std::vector<RackDemand> demands = {{0, 1, 100}, {1, 2, 90}, {2, 3, 50}, {3, 1, 30}};
  solve_traffic(demands, 5000, world);
  EXPECT_EQ(world.routing.controller.at(0).from_ps, 5000);
  EXPECT_EQ(port_of(world, 0, 1), 4u);
  EXPECT_EQ(port_of(world, 1, 2), 5u);
  EXPECT_EQ(port_of(world, 2, 3), 5u);
  EXPECT_EQ(port_of(world, 3, 1), 4u);
  EXPECT_EQ(port_of(world, 3, 2), kNone) << "no demand, no entry";
  const TrafficPlan& plan = world.routing.plan;
  const LinkId up = world.fabric.nodes[16].first_link + 4;
  EXPECT_EQ(plan.busy_ps[up], 130u * 20) << "at 400G a byte takes 20 ps";
  EXPECT_EQ(plan.busy_ps[up + 1], 140u * 20);
  EXPECT_EQ(plan.period_ps, 100u * 20) << "the busiest NIC's";
  EXPECT_EQ(plan.demands, 4u);
  EXPECT_EQ(plan.over_capacity, 2u) << "the two that came last";
}

/// The uplink of rtsw0 to the first CTSW is down from 1 ms to 2 ms; it is known after 100 us.
TEST(Cspf, SolvesAgainWhenRoutesHaveChanged) {
  const std::string failing =
      "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n[failures]\ndetect = \"100 us\"\nconverge = \"100 us\"\n"
      "[[failure]]\nlink = [\"rtsw0\", \"ctsw0\"]\nat = \"1 ms\"\nuntil = \"2 ms\"\n";
  const World at_once = zone(failing);
  ASSERT_EQ(at_once.routing.controller.size(), 3u);
  const LinkId own = at_once.fabric.links[at_once.fabric.nodes[0].first_link].reverse;
  const TimePs expected_from_ps[] = {0, 1'100'000'000, 2'100'000'000};
  const u32 expected_port[] = {4, 5, 4};
  for (u32 version = 0; version < 3; ++version) {
    EXPECT_EQ(at_once.routing.controller[version].from_ps, expected_from_ps[version]);
    EXPECT_EQ(at_once.routing.controller[version].port(own, 1), expected_port[version]);
  }
  const World slow = zone(failing + "[routing.traffic_engineering]\nperiod = \"800 us\"\n");
  ASSERT_EQ(slow.routing.controller.size(), 3u);
  EXPECT_EQ(slow.routing.controller[1].from_ps, 1'600'000'000);
  EXPECT_EQ(slow.routing.controller[2].from_ps, 2'400'000'000);
}

/// The first CTSW has lost its path to rack 1. The other switches learn only 400 us later that they must not send
/// there; the controller knows when the CTSW knows.
TEST(Cspf, PlansNoWayThatLeadsNowhere) {
  const World world = zone(
      "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n[failures]\ndetect = \"100 us\"\nconverge = \"500 us\"\n"
      "[[failure]]\nlink = [\"rtsw1\", \"ctsw0\"]\nat = \"1 ms\"\nuntil = \"3 ms\"\n");
  const LinkId own = world.fabric.links[world.fabric.nodes[0].first_link].reverse;
  ASSERT_GE(world.routing.controller.size(), 2u);
  EXPECT_EQ(world.routing.controller.at(0).port(own, 1), 4u);
  EXPECT_EQ(world.routing.controller.at(1).from_ps, 1'100'000'000);
  EXPECT_EQ(world.routing.controller.at(1).port(own, 1), 5u);
}

TEST(Cspf, DownlinksCountToo) {
  World world = zone();
  // Racks 0 and 1 both send to rack 2, by one CTSW each, though port 4 of rtsw1 is as empty as port 5.
  solve_traffic(std::vector<RackDemand>{{0, 2, 100}, {4, 2, 100}}, 0, world);
  EXPECT_EQ(port_of(world, 0, 2), 4u);
  EXPECT_EQ(port_of(world, 4, 2), 5u);
}

TEST(Cspf, PlansOnlyWhereItsEntriesAre) {
  World world = zone();
  world.routing.policy[static_cast<u32>(kCtsw)] = "ecmp";
  solve_traffic(std::vector<RackDemand>{{0, 2, 100}, {4, 2, 100}}, 0, world);
  EXPECT_EQ(port_of(world, 0, 2), 4u);
  EXPECT_EQ(port_of(world, 4, 2), 4u) << "it does not see that both come down from one CTSW";
  EXPECT_EQ(world.routing.controller.at(0).entries.size(), 2u) << "none at CTSWs";
}

TEST(Cspf, RefusesWhatIsTooLargeToCount) {
  World world = zone();
  const std::string error = config_error_of([&] {
    solve_traffic(std::vector<RackDemand>{{0, 2, u64{1} << 60}}, 0, world);
  });
  EXPECT_NE(error.find("only their ratios count"), std::string::npos);
}

TEST(Demands, OfMessagesAndRings) {
  World world = zone(
      "[[message]]\nsrc = 0\ndst = 4\nbytes = 1000\n[[message]]\nsrc = 0\ndst = 5\nbytes = 10\n"
      "[[message]]\nsrc = 0\ndst = 1\nbytes = 7\n[[message]]\nsrc = 9\ndst = 1\nbytes = 5\n");
  const std::vector<RackDemand> demands = demands_of_workload(world);
  ASSERT_EQ(demands.size(), 2u) << "what stays in a rack is none";
  EXPECT_EQ(demands[0].bytes, 1010u);
  EXPECT_EQ(demands[1].src, 9u);
  EXPECT_EQ(demands[1].group, 0u);
  EXPECT_EQ(demands[1].bytes, 5u);
}

/// A pair with 0 bytes in a matrix has no demand, but it sends an empty slice.
TEST(Demands, OfNothingAreNoneButThePairSends) {
  const std::string matrix = test::fresh_folder() + "/m.txt";
  std::ofstream(matrix) << "0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n7 0 0 0 0\n";
  const World world = zone(
      "[[job]]\ngpus = 5\ngpus_per_server = 1\n[[job.collective]]\nkind = \"all_to_all_v\"\n"
      "matrix_file = \"" +
      matrix + "\"\n");
  const std::vector<RackDemand> demands = demands_of_workload(world);
  ASSERT_EQ(demands.size(), 1u);
  EXPECT_EQ(demands[0].src, 4u);
  const std::vector<std::pair<EndpointId, u32>> pairs = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 0}};
  EXPECT_EQ(pairs_of_workload(world), pairs);
}

/// Connections of an all-to-all in closed form carry the same bytes as those in tables.
TEST(Demands, OfAllToAllsInClosedForm) {
  const std::string job =
      "[[job]]\ngpus_per_server = 2\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n";
  const World closed = zone(job), tables = zone(job + "[[message]]\nsrc = 0\ndst = 1\nbytes = 1\n");
  ASSERT_TRUE(closed.collectives.jobs[0].all_pairs);
  ASSERT_FALSE(tables.collectives.jobs[0].all_pairs);
  const std::vector<RackDemand> a = demands_of_workload(closed), b = demands_of_workload(tables);
  ASSERT_EQ(a.size(), 16u * 3);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].src, b[i].src);
    EXPECT_EQ(a[i].group, b[i].group);
    EXPECT_EQ(a[i].bytes, b[i].bytes);
  }
}

TEST(Demands, OfAFileAreDividedOverTheNicsOfARack) {
  World world = zone();
  const std::vector<PlainDemand> file = {{"rtsw1", "rtsw0", 10, 2}};
  const std::vector<RackDemand> demands = demands_of_file(file, "demands.csv", world);
  ASSERT_EQ(demands.size(), 4u);
  EXPECT_EQ(demands[0].src, 4u);
  EXPECT_EQ(demands[0].group, 0u);
  EXPECT_EQ(demands[0].bytes, 3u);
  EXPECT_EQ(demands[3].bytes, 2u);
  const auto error = [&](const std::vector<PlainDemand>& wrong) {
    return config_error_of([&] { demands_of_file(wrong, "demands.csv", world); });
  };
  EXPECT_NE(error({{"ctsw0", "rtsw0", 1, 7}}).find("demands.csv:7: 'ctsw0' is no switch with GPUs"), std::string::npos);
  EXPECT_NE(error({{"rtsw0", "rtsw0", 1, 7}}).find("itself"), std::string::npos);
  EXPECT_NE(error({{"rtsw0", "rtsw1", 1, 7}, {"rtsw0", "rtsw1", 1, 8}}).find("demands.csv:8"), std::string::npos);
}

/// A permutation between whole racks fits exactly: the fullest uplink carries no more than a NIC's data.
TEST(TrafficEngineering, ThePlanIsWhatLinksCarry) {
  std::string messages;
  for (u32 i = 0; i < 16; ++i)
    messages +=
        "[[message]]\nsrc = " + std::to_string(i) + "\ndst = " + std::to_string((i + 4) % 16) + "\nbytes = 409600\n";
  const World world = zone(messages);
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  while (engine.advance(kNever)) {
  }
  std::vector<LinkCounters> counters(world.fabric.links.size());
  engine.link_counters(counters);
  for (NodeId rtsw = 16; rtsw < 20; ++rtsw) {
    const LinkId up = world.fabric.nodes[rtsw].first_link + 4;
    EXPECT_EQ(world.routing.plan.busy_ps[up], 2u * 409'600 * 20) << "two of four NICs each";
    // ACKs from the rack go by hash, so one of both uplinks carries some more
    EXPECT_NEAR(static_cast<double>(counters[up].sent_bytes), 2 * 100 * (4096 + 102) + 2 * 16, 6000);
  }
}

}  // namespace
}  // namespace heddle
