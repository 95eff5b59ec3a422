// Expected packets per link, worked out by hand, and that none is lost on the way.
#include "partition/cut/expected_packets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "partition/cut/demands.hpp"
#include "tests/oracle/tiny_world.hpp"
#include "tests/partition/cut/graphs.hpp"

namespace heddle {
namespace {

LinkId link_of(const World& world, NodeId node, u32 port) { return world.fabric.nodes[node].first_link + port; }

/// 10 packets from NIC 0 over two switches with 3 cables to NIC 2, an ACK after 4.
World ten_packets() {
  World world = oracle::line(2, 2, 3);
  world.roce.ack_every = 4;
  oracle::add_qp(world, 0, 2, {{9 * 4096 + 1, 0}});
  return world;
}

TEST(ExpectedPackets, SpreadOverEqualCables) {
  const World world = ten_packets();
  const ExpectedPackets packets = expect_packets(world);
  EXPECT_FALSE(packets.uniform);
  EXPECT_EQ(packets.parts[link_of(world, 0, 0)], 2560u);
  EXPECT_EQ(packets.parts[link_of(world, 1, 0)], 0u);
  EXPECT_EQ(packets.parts[link_of(world, 4, 2)], 854u) << "2560 over 3, the remainder by the first port";
  EXPECT_EQ(packets.parts[link_of(world, 4, 3)], 853u);
  EXPECT_EQ(packets.parts[link_of(world, 4, 4)], 853u);
  EXPECT_EQ(packets.parts[link_of(world, 5, 0)], 2560u);
  EXPECT_EQ(packets.parts[link_of(world, 2, 0)], 3 * 256u) << "ACKs of 4, 4 and 2 packets";
  EXPECT_EQ(packets.parts[link_of(world, 5, 3)], 256u);
}

/// 36,865 B are 26 segments, and an ACK answers every second one.
TEST(ExpectedPackets, OfTcpAreItsSegmentsAndAcks) {
  World world = ten_packets();
  world.fabric.classes[world.traffic.qps[0].traffic_class].transport = Transport::tcp;
  const ExpectedPackets packets = expect_packets(world);
  EXPECT_EQ(packets.parts[link_of(world, 0, 0)], 26 * 256u);
  EXPECT_EQ(packets.parts[link_of(world, 2, 0)], 13 * 256u);
}

TEST(ExpectedPackets, FollowExplicitPaths) {
  World world = ten_packets();
  world.routing.policy.fill("explicit");
  world.routing.path_first = {0, 1, 2};
  world.routing.hops = {{4, 3}, {5, 4}};
  world.traffic.qps[0].data_path = 0;
  world.traffic.qps[0].control_path = 1;
  const ExpectedPackets packets = expect_packets(world);
  EXPECT_EQ(packets.parts[link_of(world, 4, 3)], 2560u);
  EXPECT_EQ(packets.parts[link_of(world, 4, 2)], 0u);
  EXPECT_EQ(packets.parts[link_of(world, 5, 4)], 768u);
  world.routing.hops[0].node = 5;  // no path from switch 4
  EXPECT_THROW(expect_packets(world), std::invalid_argument);
}

TEST(ExpectedPackets, NoMoreThanTheHorizonAllows) {
  World world = oracle::line(1, 1, 1);
  oracle::add_qp(world, 0, 1, {{u64{1} << 40, 0}});
  world.clocks.horizon_ps = 1'000'000;  // 50,000 bytes of 400G
  const u64 most = 50'000 / (4096 + world.roce.data_overhead_wire_bytes) + 1;
  EXPECT_EQ(expect_packets(world).parts[link_of(world, 0, 0)], most * kPacketParts);
  world.traffic.messages[0].post_ps = 1'000'000;
  EXPECT_TRUE(expect_packets(world).uniform) << "nothing is sent before the end";
}

/// Each rank of a ring sends 100 slices of one packet, and receives as many; a CTS admits each.
TEST(ExpectedPackets, OfCollectivesAreDataCtssAndTheAcksOfBoth) {
  const ExpectedPackets packets = expect_packets(oracle::ring_of_two(100, false, 3));
  EXPECT_FALSE(packets.uniform);
  for (const u64 parts : packets.parts) EXPECT_EQ(parts, 400 * kPacketParts);
}

TEST(ExpectedPackets, UniformWhenTheWorkloadSaysTooLittle) {
  World world = oracle::line(2, 2, 3);
  const std::vector<u64> one_each(world.fabric.links.size(), kPacketParts);
  EXPECT_EQ(expect_packets(world).parts, one_each);
  oracle::add_qp(world, 0, 2, {{1, 0}});  // 2 packets of 3 hops, for 14 links
  EXPECT_TRUE(expect_packets(world).uniform);
  EXPECT_EQ(expect_packets(world).parts, one_each);
}

TEST(ExpectedPackets, RoutesInACircleOrWithoutEndAreRefused) {
  World world = ten_packets();
  world.routing.table.set_of[1] = kNone;  // no path from switch 4 to the group of switch 5
  EXPECT_THROW(expect_packets(world), std::invalid_argument);

  // NIC 0 on switch 2, NIC 1 on switch 3; the path from 2 to 3 is over 4, which sends back
  world = oracle::tiny_fabric(2, 3, {{0, 2}, {1, 3}, {2, 4}, {4, 3}});
  Routing& routing = world.routing;
  routing.table.groups = 2;
  routing.first_switch = 2;
  routing.group_of = {0, 1};
  routing.attach_switch = {2, 3};
  routing.attach_port = {0, 0};
  routing.table.row_of = {0, 1, 2};
  routing.table.set_of = {kNone, 0, 0, kNone, 1, 0};  // [switch 2, 3, 4][group]
  routing.table.sets = {{0, 1}, {1, 1}};
  routing.table.ports = {1, 0};
  for (u32 q = 0; q < 4; ++q) oracle::add_qp(world, 0, 1, {{40'960, 0}});
  EXPECT_EQ(expect_packets(world).parts[link_of(world, 4, 1)], 40 * kPacketParts);
  routing.table.set_of[5] = 1;  // switch 4 back to 2
  EXPECT_THROW(expect_packets(world), std::invalid_argument);
}

/// Checks that all packets that NICs send end at NICs, and switches keep none.
void expect_conserved(const World& world) {
  const Fabric& f = world.fabric;
  const ExpectedPackets packets = expect_packets(world);
  ASSERT_FALSE(packets.uniform);
  std::vector<u64> in(f.nodes.size()), out(f.nodes.size()), sent(f.endpoints), received(f.endpoints);
  for (LinkId l = 0; l < f.links.size(); ++l) {
    out[f.links[l].src] += packets.parts[l];
    in[f.links[l].dst] += packets.parts[l];
  }
  for_each_demand(world, [&](const Demand& d) {
    sent[d.src] += d.packets * kPacketParts;
    received[d.dst] += d.packets * kPacketParts;
  });
  for (NodeId n = 0; n < f.nodes.size(); ++n) {
    if (n >= f.endpoints) {
      EXPECT_EQ(in[n], out[n]) << f.names[n];
    } else {
      EXPECT_EQ(out[n], sent[n]) << f.names[n];
      EXPECT_EQ(in[n], received[n]) << f.names[n];
    }
  }
}

TEST(ExpectedPackets, AreConserved) {
  expect_conserved(ten_packets());
  expect_conserved(world_of_text(kTwoZones));
  expect_conserved(world_of_text(kTwoZones, {"generator.0.kind=all_to_all", "generator.0.bytes=\"20 KB\""}));
}

/// A ring of 2 servers with 4 GPUs each: 1 channel, so one connection each way over the network.
TEST(ExpectedPackets, CollectivesSendTheirSlicesAndClearances) {
  const World world = world_of_text(R"(
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 4
ctsws = 1
uplinks_per_rtsw = 1
[[job]]
gpus = 8
gpus_per_server = 4
channels = 1
algorithm = "ring"
protocol = "simple"
[[job.collective]]
kind = "all_reduce"
sizes = ["8 MiB"]
)");
  const Job& job = world.collectives.jobs.at(0);
  u64 networked = 0;
  for (const Connection& c : world.collectives.connections) networked += c.nvlink ? 0 : 1;
  ASSERT_EQ(networked, 2u);
  const SliceSchedule& schedule =
      world.collectives.schedules[world.collectives.collectives[job.collectives[0]].schedule];
  ASSERT_EQ(schedule.full, 0u);
  ASSERT_EQ(schedule.tail_bytes[0], schedule.tail_bytes[1]) << "all slices are alike";
  u64 data = 0, control = 0;
  for_each_demand(world, [&](const Demand& d) {
    const bool forth = std::any_of(world.traffic.qps.begin(), world.traffic.qps.end(),
                                   [&](const Qp& q) { return q.src == d.src && q.dst == d.dst; });
    (forth ? data : control) += d.packets;
  });
  const u64 per_slice = (schedule.tail_bytes[0] + 4095) / 4096;
  EXPECT_EQ(data, 2 * schedule.total * (per_slice + 1)) << "and with it the ACK of its CTS";
  EXPECT_EQ(control, 2 * schedule.total * ((per_slice + world.roce.ack_every - 1) / world.roce.ack_every + 1));
  EXPECT_NEAR(static_cast<double>(data - 2 * schedule.total) * 4096, 2.0 * (u64{8} << 20) * 14 / 8, 1)
      << "2(n-1)/n of the vector";
  expect_conserved(world);
}

}  // namespace
}  // namespace heddle
