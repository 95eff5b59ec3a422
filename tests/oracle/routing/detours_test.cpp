// Which packets take a detour, by hand (MODEL.md, 7.11): one choice of a spine after the other, with queues as given.
#include "tests/oracle/routing/detours.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "kernels/base/hash.hpp"
#include "kernels/outcome/outcome.hpp"
#include "tests/oracle/tiny_dragonfly.hpp"

namespace heddle::oracle {
namespace {

constexpr u64 kGrade = 4096;

/// The spine of group 0, which chooses for packets to NIC 2 in group 1, by default from its leaf. Its port 0 leads to
/// its leaf, 1 to group 1, 2 to group 2.
struct Spine {
  explicit Spine(World w) : world(std::move(w)) { groups = world.routing.table.groups; }

  RouteContext context(const Packet& packet) {
    return {world,  spine_of(groups, 0), packet, ingress_port, t, [this](u32 port) { return queued_bytes[port]; },
            &totals};
  }
  u32 choose(u32 dst = 2) {
    Packet packet;
    packet.cls = cls;
    packet.kind = kind;
    packet.src = dst == 0 ? 3 : 0;
    packet.dst = dst;
    packet.frame_bytes = kGrade;
    return policy->choose(context(packet));
  }
  /// The choice of a switch that has sent nothing yet, with `direct` bytes for group 1 and `detour` for group 2.
  u32 choose_anew(u64 direct, u64 detour) {
    policy = make_adaptive();
    queued_bytes = {{1, direct}, {2, detour}};
    return choose();
  }

  World world;
  u32 groups = 0, ingress_port = 0, cls = kDetouredClass;
  PacketKind kind = PacketKind::data;
  TimePs t = 0;
  std::map<u32, u64> queued_bytes;
  std::unique_ptr<Policy> policy = make_adaptive();
  Totals totals;
};

TEST(OracleDetours, TheThresholdMustBeExceeded) {
  Spine spine(tiny_dragonfly(3, 3 * kGrade));
  EXPECT_EQ(spine.choose_anew(4 * kGrade - 1, 0), 1u) << "3 = 2 * 0 + 3";
  EXPECT_EQ(spine.choose_anew(4 * kGrade, 0), 2u) << "4 > 2 * 0 + 3";
  EXPECT_EQ(spine.choose_anew(4 * kGrade, kGrade - 1), 2u) << "still grade 0";
  EXPECT_EQ(spine.choose_anew(4 * kGrade, kGrade), 1u);
  EXPECT_EQ(spine.choose_anew(6 * kGrade - 1, kGrade), 1u) << "5 = 2 * 1 + 3";
  EXPECT_EQ(spine.choose_anew(6 * kGrade, kGrade), 2u) << "6 > 2 * 1 + 3";
  spine.world.routing.parameters["adaptive.detour_threshold"] = 4 * kGrade - 1;
  EXPECT_EQ(spine.choose_anew(4 * kGrade, 0), 2u) << "thresholds count in whole grades";
  spine.world.routing.parameters["adaptive.detour_threshold"] = 0;
  EXPECT_EQ(spine.choose_anew(kGrade - 1, 0), 1u);
  EXPECT_EQ(spine.choose_anew(kGrade, 0), 2u);
}

/// What an ingress queue has sent in this epoch counts on both sides: after 4 packets the direct way has grade 4.
TEST(OracleDetours, WhatWasSentCounts) {
  Spine spine(tiny_dragonfly(3, 3 * kGrade));
  std::vector<u32> ports;
  for (u32 i = 0; i < 11; ++i) ports.push_back(spine.choose());
  EXPECT_EQ(ports, (std::vector<u32>{1, 1, 1, 1, 2, 1, 1, 2, 1, 1, 2}));
  spine.t = spine.world.clocks.epoch_ps;
  EXPECT_EQ(spine.choose(), 1u) << "a new epoch";
}

TEST(OracleDetours, EqualDetoursAreChosenByTheArrival) {
  Spine spine(tiny_dragonfly(4, 0));
  spine.queued_bytes = {{1, 1000 * kGrade}, {2, kGrade}, {3, kGrade}};
  u32 of_port[4] = {};
  for (spine.t = 0; spine.t < 40; ++spine.t) {
    spine.policy = make_adaptive();
    u64 h = hash32(spine.world.seed, Stream::path, u64{spine_of(4, 0)} << 32, static_cast<u64>(spine.t));
    u32 port = spine.choose();
    EXPECT_EQ(port, 2 + ((h * 2) >> 32));
    ++of_port[port];
  }
  EXPECT_GT(of_port[2], 5u);
  EXPECT_GT(of_port[3], 5u);
  spine.queued_bytes[2] += kGrade;
  for (spine.t = 0; spine.t < 40; ++spine.t) {
    spine.policy = make_adaptive();
    EXPECT_EQ(spine.choose(), 3u) << "only the least grade";
  }
}

TEST(OracleDetours, OnlyPacketsOfClass1ThatComeFromBelowTakeThem) {
  Spine spine(tiny_dragonfly(4, 0));
  const u64 full = 1000 * kGrade;
  spine.queued_bytes = {{0, full}, {1, full}};
  EXPECT_NE(spine.choose(), 1u);
  spine.kind = PacketKind::ack;
  EXPECT_NE(spine.choose(), 1u) << "whatever is in class 1";
  spine.kind = PacketKind::data;
  EXPECT_EQ(spine.choose(0), 0u) << "its next hop leads down";
  for (u32 cls : {0u, 2u, 3u}) {
    spine.cls = cls;
    EXPECT_EQ(spine.choose(), 1u) << cls;
  }
  spine.cls = kDetouredClass;
  spine.ingress_port = 2;
  EXPECT_EQ(spine.choose(), 1u) << "it has come by a level port, and another group is left";
  spine.ingress_port = 0;
  spine.world.routing.parameters["adaptive.detours"] = 0;
  EXPECT_EQ(spine.choose(), 1u);
  spine.world.routing.parameters["adaptive.detours"] = 1;
  spine.world.routing.detour_class = 0;
  EXPECT_EQ(spine.choose(), 1u);
}

/// Group 2 is out of reach by its own port: the spine goes there by group 1, so no detour is left.
TEST(OracleDetours, DetoursAreNextHopsOfThatTime) {
  Spine spine(tiny_dragonfly(3, 0));
  spine.queued_bytes = {{1, 1000 * kGrade}};
  Routing& routing = spine.world.routing;
  routing.row_change_first = {0, 0, 0, 0, 2, 2, 2};
  routing.row_changes = {{100, add_row(spine.world, {{0}, {1}, {1}})}, {200, routing.row_of(spine_of(3, 0))}};
  for (auto [t, port] : {std::pair(99, 2u), std::pair(100, 1u), std::pair(199, 1u), std::pair(200, 2u)}) {
    spine.t = t;
    EXPECT_EQ(spine.choose(), port) << t;
  }
}

/// What comes from an endpoint takes no detour: a leaf that has ways to another group by one spine alone keeps to it.
TEST(OracleDetours, LeavesTakeNone) {
  World world = tiny_dragonfly(3, 0);
  Packet packet;
  packet.cls = kDetouredClass;
  packet.dst = 2;
  RouteContext at_leaf{world, leaf_of(3, 0), packet};
  world.routing.table.row_of[0] = add_row(world, {{1, 2}, {2}, {1, 2}});
  world.fabric.nodes[1].tier = Tier{2};  // as if port 1 led to a second spine, not to a NIC
  EXPECT_TRUE(detours_of(at_leaf).empty());
}

struct Flowlets : Spine {
  Flowlets() : Spine(tiny_dragonfly(3, 0)) {
    world.routing.parameters["adaptive.per"] = 1;
    world.routing.parameters["adaptive.entries"] = 1;  // all flows share it
    queued_bytes = {{1, 1000 * kGrade}};
  }
};

TEST(OracleDetours, AFlowletStaysOnItsDetour) {
  Flowlets spine;
  EXPECT_EQ(spine.choose(), 2u);
  spine.queued_bytes[1] = 0;
  spine.queued_bytes[2] = 1000 * kGrade;
  spine.t = 999;
  EXPECT_EQ(spine.choose(), 2u);
  spine.t = 1999;
  EXPECT_EQ(spine.choose(), 1u) << "another flowlet";
}

/// The port of a flow that shares the entry is a detour here, and taken unjudged, but not by who may take none.
TEST(OracleDetours, AnEntryKeepsADetourOfTheNextPacket) {
  Flowlets spine;
  spine.queued_bytes = {};
  EXPECT_EQ(spine.choose(3), 2u) << "the next hop to group 2";
  EXPECT_EQ(spine.choose(2), 2u) << "a detour to group 1";
  EXPECT_EQ(spine.choose(0), 0u) << "down, where there are no detours";
  EXPECT_EQ(spine.choose(2), 1u) << "number 0 mod 1 of the next hops, as port 0 is none of them and no detour";
  spine.cls = 2;
  EXPECT_EQ(spine.choose(3), 2u);
  EXPECT_EQ(spine.choose(2), 1u) << "another class takes no detours";
}

TEST(OracleDetours, AnEntryWhosePortHasGoneIsReplaced) {
  Flowlets spine;
  Routing& routing = spine.world.routing;
  routing.row_change_first = {0, 0, 0, 0, 2, 2, 2};
  routing.row_changes = {{100, add_row(spine.world, {{0}, {1}, {1}})}, {200, routing.row_of(spine_of(3, 0))}};
  for (auto [t, port] : {std::pair(99, 2u), std::pair(100, 1u), std::pair(200, 1u), std::pair(1200, 2u)}) {
    spine.t = t;
    EXPECT_EQ(spine.choose(), port) << t;
  }
}

TEST(OracleDetours, ThePacketTurnsWhereNeitherPortLeadsDown) {
  World world = tiny_dragonfly(3, 0);
  const NodeId spine = spine_of(3, 2), leaf = leaf_of(3, 0);
  EXPECT_TRUE(leads_down(world, spine, 0));
  EXPECT_FALSE(leads_down(world, spine, 1)) << "level";
  EXPECT_TRUE(leads_down(world, leaf, 0)) << "to a NIC";
  EXPECT_FALSE(leads_down(world, leaf, 2)) << "up";
  EXPECT_EQ(class_onward(world, spine, 1, 2, 1), 3u);
  EXPECT_EQ(class_onward(world, spine, 0, 2, 1), 1u);
  EXPECT_EQ(class_onward(world, spine, 1, 0, 1), 1u);
  EXPECT_EQ(class_onward(world, leaf, 0, 2, 1), 1u);
  EXPECT_EQ(class_onward(world, leaf, 2, 0, 1), 1u);
  EXPECT_EQ(class_onward(world, leaf, 2, 2, 1), 3u) << "down and up again";
  for (u32 cls : {0u, 2u, 3u}) EXPECT_EQ(class_onward(world, spine, 1, 2, cls), cls);
  world.routing.detour_class = 0;
  EXPECT_EQ(class_onward(world, spine, 1, 2, 1), 1u);
}

}  // namespace
}  // namespace heddle::oracle
