// Nodes, ports, links and latencies of every topology.
#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "host/scenario/topology/assemble.hpp"
#include "host/scenario/topology/kinds.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/base/units.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

void expect_sound_links(const Fabric& fabric) {
  u32 next = 0;
  for (NodeId n = 0; n < fabric.nodes.size(); ++n) {
    EXPECT_EQ(fabric.nodes[n].first_link, next);
    next += fabric.nodes[n].ports;
  }
  ASSERT_EQ(fabric.links.size(), next);
  for (LinkId l = 0; l < fabric.links.size(); ++l) {
    const Link& link = fabric.links[l];
    ASSERT_LT(link.reverse, fabric.links.size());
    const Link& reverse = fabric.links[link.reverse];
    EXPECT_EQ(reverse.reverse, l);
    EXPECT_EQ(reverse.src, link.dst);
    EXPECT_EQ(reverse.dst, link.src);
    EXPECT_EQ(reverse.src_port, link.dst_port);
    EXPECT_EQ(reverse.ps_per_byte_q16, link.ps_per_byte_q16);
    EXPECT_EQ(fabric.nodes[link.src].first_link + link.src_port, l);
    EXPECT_GT(link.lambda_ps, 0);
    EXPECT_GT(link.phi_ps, 0);
  }
}

/// Latency of the first path in the tables for packets of `wire_bytes`: transmission and lambda of every hop.
TimePs one_way_ps(const World& world, EndpointId src, EndpointId dst, u32 wire_bytes) {
  TimePs t = 0;
  NodeId at = src;
  while (at != dst) {
    u32 port = 0;
    if (at >= world.fabric.endpoints) {
      const Routing& r = world.routing;
      port = at == r.attach_switch[dst] ? r.attach_port[dst] : r.next_hops(at, r.group_of[dst]).front();
    }
    const Link& link = world.fabric.links[world.fabric.nodes[at].first_link + port];
    t += ser_ps(wire_bytes, link.ps_per_byte_q16) + link.lambda_ps;
    at = link.dst;
  }
  return t;
}

TEST(Topology, StarHasOnePortPerHost) {
  const World world = world_of(star_options(5));
  EXPECT_EQ(world.fabric.endpoints, 5u);
  ASSERT_EQ(world.fabric.nodes.size(), 6u);
  EXPECT_EQ(world.fabric.nodes[5].ports, 5u);
  EXPECT_EQ(world.fabric.nodes[5].kind, NodeKind::node_switch);
  EXPECT_EQ(world.fabric.links[0].ps_per_byte_q16, 20u << 16);
  EXPECT_EQ(world.fabric.names[4], "gpu4");
  expect_sound_links(world.fabric);
}

TEST(Topology, ZonePortsAreDownLinksThenUplinks) {
  const World world = world_of(small_zone_options());
  const Fabric& fabric = world.fabric;
  ASSERT_EQ(fabric.nodes.size(), 16u + 4 + 2);
  for (NodeId rtsw = 16; rtsw < 20; ++rtsw) {
    EXPECT_EQ(fabric.nodes[rtsw].ports, 8u);
    EXPECT_EQ(fabric.nodes[rtsw].tier, kRtsw);
    for (u32 port = 0; port < 8; ++port) {
      const NodeId peer = fabric.links[fabric.nodes[rtsw].first_link + port].dst;
      if (port < 4) {
        EXPECT_EQ(peer, (rtsw - 16) * 4 + port);
      } else {
        EXPECT_EQ(peer, 20 + (port - 4) % 2);
      }
    }
  }
  EXPECT_EQ(fabric.nodes[20].ports, 8u);
  EXPECT_EQ(fabric.names[21], "ctsw1");
  expect_sound_links(fabric);
}

TEST(Topology, UnevenUplinksEvenOutOverRacks) {
  FabricOptions options = small_zone_options();
  options.topology.uplinks_per_rtsw = 3;  // 4 racks x 3 over 2 CTSWs: 6 each
  const World world = world_of(options);
  EXPECT_EQ(world.fabric.nodes[20].ports, 6u);
  EXPECT_EQ(world.fabric.nodes[21].ports, 6u);
}

TEST(Topology, MultiZoneCountsAndZones) {
  const World world = world_of(small_multi_zone_options());
  const Fabric& fabric = world.fabric;
  EXPECT_EQ(fabric.endpoints, 8u);
  ASSERT_EQ(fabric.nodes.size(), 8u + 4 + 4 + 2);
  EXPECT_EQ(fabric.nodes[0].zone, 0u);
  EXPECT_EQ(fabric.nodes[7].zone, 1u);
  EXPECT_EQ(fabric.nodes[16].tier, kAtsw);
  EXPECT_EQ(fabric.nodes[16].ports, 4u);
  expect_sound_links(fabric);
}

TEST(Topology, Llama24kHas87936SwitchPorts) {
  FabricOptions options;
  options.topology.kind = "multi_zone";
  options.topology.racks = 192;
  const World world = world_of(options);
  EXPECT_EQ(world.fabric.endpoints, 24'576u);
  EXPECT_EQ(world.fabric.nodes.size() - world.fabric.endpoints, 1708u);
  u64 ports = 0;
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n) ports += world.fabric.nodes[n].ports;
  EXPECT_EQ(ports, 87'936u);
  EXPECT_EQ(world.routing.table.groups, 1536u);
}

// Published round trips of such fabrics: 2.9 / 22.0 / 47.1 us for one full packet there and its ACK back.
TEST(Topology, DefaultLatenciesGiveTheRoundTripsOfTheSources) {
  const auto round_trip_us = [](const World& world, EndpointId dst) {
    return static_cast<double>(one_way_ps(world, 0, dst, 4198) + one_way_ps(world, dst, 0, 106)) * 1e-6;
  };
  const World zones = world_of(small_multi_zone_options());
  EXPECT_NEAR(round_trip_us(zones, 1), 2.9, 0.05);
  EXPECT_NEAR(round_trip_us(zones, 2), 22.0, 0.05);
  EXPECT_NEAR(round_trip_us(zones, 4), 47.1, 0.05);
}

TEST(Topology, LambdaAndPhiOfTheDefaults) {
  const World world = world_of(small_zone_options());
  const Fabric& fabric = world.fabric;
  const Link& up = fabric.links[fabric.nodes[0].first_link];
  EXPECT_EQ(up.lambda_ps, 100'000 + 15'000 + 600'000);
  EXPECT_EQ(up.phi_ps, 15'000 + 1'158'400);  // 905 quanta = 57,920 B at 400G
  EXPECT_EQ(fabric.links[up.reverse].lambda_ps, 665'000);
  const Link& spine = fabric.links[fabric.nodes[16].first_link + 4];
  EXPECT_EQ(spine.lambda_ps, 500'000 + 3'925'000);
  EXPECT_EQ(fabric.links[spine.reverse].lambda_ps, 3'925'000 + 500'000 + 600'000);
}

TEST(Topology, PauseResponseFollowsTheStandardsTable) {
  EXPECT_EQ(standard_pause_response_ps(400'000'000'000), 1'158'400);
  EXPECT_EQ(standard_pause_response_ps(800'000'000'000), 579'200);
  EXPECT_EQ(standard_pause_response_ps(200'000'000'000), 453 * 64 * 40);
  EXPECT_EQ(standard_pause_response_ps(100'000'000'000), 394 * 64 * 80);
  EXPECT_EQ(standard_pause_response_ps(30'000'000'000), ser_ps(118 * 64, ps_per_byte_q16_of(30'000'000'000)));
  FabricOptions options = star_options(2);
  options.pfc.standard_response = false;
  EXPECT_EQ(world_of(options).fabric.links[0].phi_ps, 15'000);
}

PlainTopology plain_line() {
  PlainTopology plain;  // switches 0 and 3 between hosts 1, 2 and 4
  plain.nodes = 5;
  plain.switches = {0, 3};
  plain.links = {{1, 0, 100'000'000'000, 1'000'000, 0, 3},
                 {2, 0, 100'000'000'000, 1'000'000, 0, 4},
                 {0, 3, 400'000'000'000, 2'000'000, 0, 5},
                 {4, 3, 100'000'000'000, 1'000'000, 0, 6}};
  return plain;
}

FabricOptions imported_options() {
  FabricOptions options;
  options.topology.kind = "hpcc";
  return options;
}

TEST(Topology, ImportedFilesPutHostsFirst) {
  const PlainTopology plain = plain_line();
  const World world = world_of(imported_options(), &plain);
  EXPECT_EQ(world.fabric.endpoints, 3u);
  EXPECT_EQ(node_ids_of(plain), (std::vector<NodeId>{3, 0, 1, 4, 2}));
  EXPECT_EQ(world.fabric.names, (std::vector<std::string>{"host1", "host2", "host4", "switch0", "switch3"}));
  EXPECT_EQ(world.fabric.links[0].lambda_ps, 1'000'000) << "the file's delay is the whole delay";
  EXPECT_EQ(world.fabric.nodes[3].tier, kRtsw);
  expect_sound_links(world.fabric);
  EXPECT_EQ(about_imported_numbers(world.fabric), "endpoint 0 is node 1 of the topology file (host1)");
  EXPECT_EQ(about_imported_numbers(world_of(star_options(2)).fabric), "");
}

TEST(Topology, HostsThatAreLeftOutGetNoNumbers) {
  PlainTopology plain = plain_line();
  plain.left_out = {false, false, true, false, false};
  plain.links.erase(plain.links.begin() + 1);
  const World world = world_of(imported_options(), &plain);
  EXPECT_EQ(world.fabric.names, (std::vector<std::string>{"host1", "host4", "switch0", "switch3"}));
  EXPECT_EQ(node_ids_of(plain), (std::vector<NodeId>{2, 0, kNone, 3, 1}));
  expect_sound_links(world.fabric);
}

TEST(Topology, BadDimensionsAreRefusedWithTheReason) {
  const auto error = [](FabricOptions options, const PlainTopology* plain = nullptr) {
    return config_error_of([&] { world_of(options, plain); });
  };
  FabricOptions zone = small_zone_options();
  zone.topology.uplinks_per_rtsw = 1;
  EXPECT_NE(error(zone).find("without a common CTSW"), std::string::npos);
  zone = small_zone_options();
  zone.topology.racks = 0;
  EXPECT_NE(error(zone).find("at least 1"), std::string::npos);
  zone = small_zone_options();
  zone.link.host_bits_per_s = 0;
  EXPECT_NE(error(zone).find("gpu0 - rtsw0 has 0 bit/s"), std::string::npos);
  EXPECT_NE(error(star_options(1)).find("at least 2"), std::string::npos);
  EXPECT_NE(error(star_options(5000)).find("5000 ports"), std::string::npos);
  FabricOptions huge = small_multi_zone_options();
  huge.topology.zones = huge.topology.racks = 4096;
  EXPECT_NE(error(huge).find("a packet can address"), std::string::npos);
  FabricOptions tables = small_multi_zone_options();  // 4,096 endpoints, but 69 billion cables
  tables.topology.zones = 4096;
  tables.topology.racks = tables.topology.gpus_per_rack = 1;
  tables.topology.ctsws = tables.topology.uplinks_per_rtsw = tables.topology.uplinks_per_ctsw = 4095;
  EXPECT_NE(error(tables).find("more than can be held"), std::string::npos);
  FabricOptions word = star_options(2);
  word.topology.kind = "klein_bottle";
  EXPECT_NE(error(word).find(built_topologies() + "|hpcc"), std::string::npos);
  FabricOptions instant = star_options(2);
  instant.pfc.standard_response = false;
  instant.link.host_propagation_ps = 0;
  EXPECT_NE(error(instant).find("takes no time"), std::string::npos);
}

TEST(Topology, BadImportsAreRefusedWithTheReason) {
  const auto error = [](const PlainTopology& plain) {
    return config_error_of([&] { world_of(imported_options(), &plain); });
  };
  PlainTopology two_cables = plain_line();
  two_cables.links.push_back({1, 3, 100'000'000'000, 1'000'000, 0, 7});
  EXPECT_NE(error(two_cables).find("but NICs of this fabric have 2, one to a switch for each port"), std::string::npos);
  PlainTopology apart = plain_line();
  apart.links.erase(apart.links.begin() + 2);
  EXPECT_NE(error(apart).find("no path between switch0 and switch3"), std::string::npos);
  PlainTopology lossy = plain_line();
  lossy.links[1].error_rate = 0.01;
  EXPECT_NE(error(lossy).find("line 4"), std::string::npos);
  PlainTopology direct = plain_line();
  direct.links.push_back({1, 2, 100'000'000'000, 1'000'000, 0, 7});
  EXPECT_NE(error(direct).find("only switches forward"), std::string::npos);
  PlainTopology fast = plain_line();
  fast.links[0].bits_per_s = 2'000'000'000'000'000'000;
  EXPECT_NE(error(fast).find("the fastest link that can be simulated"), std::string::npos);
  PlainTopology far = plain_line();
  far.links[0].latency_ps = kNever;
  EXPECT_NE(error(far).find("it must be 0 to 1 s"), std::string::npos);
  EXPECT_NE(config_error_of([] { world_of(imported_options()); }).find("topology.file"), std::string::npos);
}

}  // namespace
}  // namespace heddle
