// Next-hop sets and explicit paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "host/scenario/topology/explicit_paths.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/base/hash.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

std::vector<u16> next_hops(const World& world, NodeId at, EndpointId dst) {
  const std::span<const u16> ports = world.routing.next_hops(at, world.routing.group_of[dst]);
  return {ports.begin(), ports.end()};
}

TEST(Routing, ZoneSetsAreUplinksAndParallelDownlinks) {
  const World world = world_of(small_zone_options());
  EXPECT_EQ(world.routing.table.groups, 4u);
  EXPECT_EQ(next_hops(world, 16, 5), (std::vector<u16>{4, 5, 6, 7}));
  EXPECT_EQ(next_hops(world, 20, 5), (std::vector<u16>{2, 3})) << "rack 1 hangs on ports 2 and 3 of ctsw0";
  EXPECT_EQ(world.routing.attach_switch[5], 17u);
  EXPECT_EQ(world.routing.attach_port[5], 1u);
  EXPECT_EQ(world.routing.table.sets.size(), 5u) << "all uplinks, and one set per rack";
  EXPECT_EQ(world.routing.table.rows(), 2u) << "one for all RTSWs, one for both CTSWs";
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

/// Checks the table against its definition: one search from every group, one set for every switch and group.
void expect_shortest_paths(const World& world) {
  const Fabric& f = world.fabric;
  const Routing& r = world.routing;
  for (u32 group = 0; group < r.table.groups; ++group) {
    const auto member = std::ranges::find(r.group_of, group);
    const NodeId goal = r.attach_switch[static_cast<size_t>(member - r.group_of.begin())];
    std::vector<u32> hops(f.nodes.size(), kNone);
    std::vector<NodeId> order = {goal};
    hops[goal] = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const Node& node = f.nodes[order[i]];
      for (LinkId l = node.first_link; l < node.first_link + node.ports; ++l) {
        const NodeId to = f.links[l].dst;
        if (to < f.endpoints || hops[to] != kNone) continue;
        hops[to] = hops[order[i]] + 1;
        order.push_back(to);
      }
    }
    for (const NodeId at : order) {
      if (at == goal) continue;
      std::vector<u16> ports;
      for (u32 port = 0; port < f.nodes[at].ports; ++port) {
        const NodeId to = f.links[f.nodes[at].first_link + port].dst;
        if (to >= f.endpoints && hops[to] + 1 == hops[at]) ports.push_back(static_cast<u16>(port));
      }
      ASSERT_TRUE(std::ranges::equal(r.next_hops(at, group), ports)) << f.names[at] << " to " << f.names[goal];
    }
  }
}

TEST(Routing, TablesAreThoseOfOneSearchPerGroup) {
  expect_shortest_paths(world_of(star_options(5)));
  for (const u32 uplinks : {2u, 3u, 5u, 8u}) {
    FabricOptions zone = small_zone_options();
    zone.topology.uplinks_per_rtsw = uplinks;
    expect_shortest_paths(world_of(zone));
    for (const u32 above : {1u, 2u, 3u}) {
      FabricOptions zones = small_multi_zone_options();
      zones.topology.zones = 3;
      zones.topology.racks = 5;
      zones.topology.uplinks_per_rtsw = uplinks;
      zones.topology.atsws = 3;
      zones.topology.uplinks_per_ctsw = above;
      expect_shortest_paths(world_of(zones));
    }
  }
}

TEST(Routing, TablesOfFabricsWithoutOrderAreThoseOfOneSearchPerGroup) {
  FabricOptions options;
  options.topology.kind = "hpcc";
  for (u32 draw = 0; draw < 100; ++draw) {
    auto random = [&, n = u32{0}](u32 below) mutable {
      return static_cast<u32>(hash64(7, Stream::ecmp, draw, n++) % below);
    };
    PlainTopology plain;  // a tree of switches with additional cables, some in parallel; hosts on some switches
    const u32 switches = 1 + random(12), hosts = 2 + random(12);
    plain.nodes = switches + hosts;
    const auto cable = [&](u32 a, u32 b) { plain.links.push_back({a, b, 400'000'000'000, 1'000'000, 0, 0}); };
    for (u32 s = 0; s < switches; ++s) plain.switches.push_back(s);
    for (u32 s = 1; s < switches; ++s) cable(s, random(s));
    for (u32 more = random(3 * switches); switches > 1 && more > 0; --more) {
      const u32 a = random(switches), b = random(switches);
      if (a != b) cable(a, b);
    }
    for (u32 h = 0; h < hosts; ++h) cable(switches + h, random(switches));
    expect_shortest_paths(world_of(options, &plain));
  }
}

TEST(Routing, SwitchesThatForwardAlikeShareARow) {
  FabricOptions options;
  options.topology.kind = "multi_zone";
  options.topology.racks = 192;
  const World world = world_of(options);  // 24,576 GPUs
  EXPECT_EQ(world.routing.table.rows(), 1 + options.topology.zones + 1) << "RTSWs, the CTSWs of each zone, ATSWs";
  EXPECT_LT(world.routing.table.sets.size(), 1000u);
}

TEST(RoutingPolicies, OfTiersWithTheirSettings) {
  RoutingOptions routing;
  routing.rtsw = "flowlet";
  for (PolicyValue& v : routing.values) {
    if (v.policy->name == "flowlet" && v.parameter->key == "gap") v.number = 5000;
    if (v.policy->name == "spray" && v.parameter->key == "by") v.word = "round_robin";
  }
  World world = blank_world();
  build_topology(small_zone_options(), routing, nullptr, world);
  EXPECT_EQ(world.routing.policy[static_cast<u32>(kRtsw)], "flowlet");
  EXPECT_EQ(world.routing.policy[static_cast<u32>(kCtsw)], "ecmp");
  EXPECT_EQ(world.routing.parameters, (std::map<std::string, i64>{{"flowlet.gap", 5000}, {"flowlet.entries", 256}}))
      << "of the policies that are used";
  routing.rtsw = "spray";
  build_topology(small_zone_options(), routing, nullptr, world);
  EXPECT_EQ(world.routing.parameters, (std::map<std::string, i64>{{"spray.by", 1}})) << "words by their places";
  routing.ctsw = "explicit";
  EXPECT_NE(config_error_of([&] { build_topology(small_zone_options(), routing, nullptr, world); }).find("all tiers"),
            std::string::npos);
}

World world_with_message() {
  World world = world_of(small_zone_options());
  world.routing.policy.fill("explicit");
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
