// Next-hop sets and explicit paths.
#include <gtest/gtest.h>

#include <chrono>

#include "host/topology/explicit_paths.hpp"
#include "tests/host/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

std::vector<u16> next_hops(const World& world, NodeId at, EndpointId dst) {
  const Routing& r = world.routing;
  const u32 set = r.table[(at - world.fabric.endpoints) * r.groups + r.group_of[dst]];
  if (set == kNone) return {};
  const NextHops hops = r.sets[set];
  return {r.ports.begin() + hops.first, r.ports.begin() + hops.first + hops.count};
}

TEST(Routing, ZoneSetsAreUplinksAndParallelDownlinks) {
  const World world = world_of(small_zone_options());
  EXPECT_EQ(world.routing.groups, 4u);
  EXPECT_EQ(next_hops(world, 16, 5), (std::vector<u16>{4, 5, 6, 7}));
  EXPECT_EQ(next_hops(world, 20, 5), (std::vector<u16>{2, 3})) << "rack 1 hangs on ports 2 and 3 of ctsw0";
  EXPECT_EQ(next_hops(world, 16, 3), std::vector<u16>{}) << "its own endpoints go by attach_port";
  EXPECT_EQ(world.routing.attach_switch[5], 17u);
  EXPECT_EQ(world.routing.attach_port[5], 1u);
  EXPECT_EQ(world.routing.sets.size(), 5u) << "all uplinks, and one set per rack";
}

TEST(Routing, MultiZoneGoesUpOnlyAsFarAsNeeded) {
  const World world = world_of(small_multi_zone_options());
  // nodes: rtsw 8..11, ctsw 12..15, atsw 16..17
  EXPECT_EQ(next_hops(world, 8, 2), (std::vector<u16>{2, 3}));
  EXPECT_EQ(next_hops(world, 12, 2), (std::vector<u16>{1})) << "down within the zone";
  EXPECT_EQ(next_hops(world, 12, 4), (std::vector<u16>{2, 3})) << "up to both ATSWs";
  EXPECT_EQ(next_hops(world, 16, 4), (std::vector<u16>{2, 3})) << "to both CTSWs of zone 1";
}

TEST(Routing, PlanesReachEveryZone) {
  FabricOptions options = small_multi_zone_options();
  options.topology.uplinks_per_ctsw = 1;  // CTSW 0 of each zone on atsw0, CTSW 1 on atsw1
  const World world = world_of(options);
  EXPECT_EQ(next_hops(world, 16, 4).size(), 1u);
  EXPECT_EQ(next_hops(world, 8, 4).size(), 2u);
}

TEST(Routing, EverySwitchReachesEveryGroupIn24kWithinSeconds) {
  FabricOptions options;
  options.topology.kind = "multi_zone";
  options.topology.racks = 192;
  const auto begin = std::chrono::steady_clock::now();
  const World world = world_of(options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(wall.count(), 60.0) << "about a second when optimised";
  u64 unreachable = 0;
  for (u32 set : world.routing.table) unreachable += set == kNone ? 1 : 0;
  EXPECT_EQ(unreachable, 1536u) << "only each group at its own switch";
  EXPECT_LT(world.routing.sets.size(), 1000u);
}

World world_with_message() {
  World world = world_of(small_zone_options());
  world.routing.policy = RoutingPolicy::explicit_paths;
  WorkloadInput input;
  input.messages.push_back({.src = 0, .dst = 4, .bytes = 1});
  build_workload(input, world);
  return world;
}

TEST(ExplicitPaths, BecomeHopsOfTheSwitches) {
  World world = world_with_message();
  const std::vector<PlainPath> paths = {{0, 4, {0, 16, 21, 17, 4}, {4, 17, 20, 16, 0}, 2}};
  add_explicit_paths(paths, nullptr, world);
  const Routing& r = world.routing;
  ASSERT_EQ(r.path_first, (std::vector<u32>{0, 3, 6}));
  EXPECT_EQ(world.traffic.qps[0].data_path, 0u);
  EXPECT_EQ(world.traffic.qps[0].control_path, 1u);
  EXPECT_EQ(r.hops[0].node, 16u);
  EXPECT_EQ(r.hops[0].port, 5u) << "the first of the parallel links to ctsw1";
  EXPECT_EQ(r.hops[1].node, 21u);
  EXPECT_EQ(r.hops[2].port, 0u);
}

TEST(ExplicitPaths, MistakesAreNamedWithTheirLine) {
  const auto error = [](std::vector<PlainPath> paths) {
    return config_error_of([&] {
      World world = world_with_message();
      add_explicit_paths(paths, nullptr, world);
    });
  };
  const std::vector<u32> data = {0, 16, 21, 17, 4}, ack = {4, 17, 20, 16, 0};
  EXPECT_NE(error({}).find("no path for gpu0 -> gpu4"), std::string::npos);
  EXPECT_NE(error({{0, 4, {0, 16, 17, 4}, ack, 7}}).find("line 7: rtsw0 and rtsw1 have no link"), std::string::npos);
  EXPECT_NE(error({{0, 4, {0, 16, 21, 17}, ack, 7}}).find("every node from gpu0 to gpu4"), std::string::npos);
  EXPECT_NE(error({{0, 4, data, ack, 2}, {0, 4, data, ack, 3}}).find("line 3"), std::string::npos);
  EXPECT_NE(error({{0, 4, {0, 16, 21, 16, 20, 17, 4}, ack, 2}}).find("twice"), std::string::npos);
  EXPECT_NE(error({{0, 99, data, ack, 2}}).find("node 99 does not exist"), std::string::npos);
}

}  // namespace
}  // namespace heddle
