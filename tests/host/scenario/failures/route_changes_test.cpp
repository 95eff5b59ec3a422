// Next hops of switches while cables fail and recover.
#include "host/scenario/failures/route_changes.hpp"

#include <gtest/gtest.h>

#include "host/scenario/failures/schedule.hpp"
#include "host/scenario/topology/shortest_paths.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;
using Ports = std::vector<u16>;

const FailureSettings kSettings = {.detect_ps = 10, .converge_ps = 100};

Ports next_hops(const World& world, NodeId at, EndpointId dst, TimePs t) {
  const auto ports = world.routing.next_hops(at, world.routing.group_of[dst], t);
  return {ports.begin(), ports.end()};
}

World world_with(const FabricOptions& fabric, const std::vector<FailureOptions>& failures) {
  World world = world_of(fabric);
  add_failures(kSettings, failures, world);
  return world;
}

/// rtsw 16..19 with ports 4 to 7 to ctsw0, ctsw1, ctsw0, ctsw1; ctsw 20, 21
TEST(RouteChanges, AParallelCable) {
  const World world =
      world_with(small_zone_options(), {{.link = {"rtsw0", "ctsw0"}, .cable = 2, .at_ps = 1000, .until_ps = 2000}});
  EXPECT_EQ(next_hops(world, 16, 5, 1009), (Ports{4, 5, 6, 7}));
  EXPECT_EQ(next_hops(world, 16, 5, 1010), (Ports{4, 5, 7}));
  EXPECT_EQ(next_hops(world, 16, 5, 2099), (Ports{4, 5, 7}));
  EXPECT_EQ(next_hops(world, 16, 5, 2100), (Ports{4, 5, 6, 7}));
  EXPECT_EQ(next_hops(world, 20, 0, 1009), (Ports{0, 1}));
  EXPECT_EQ(next_hops(world, 20, 0, 1010), (Ports{0}));
  EXPECT_EQ(next_hops(world, 17, 0, 1500), (Ports{4, 5, 6, 7})) << "ctsw0 has another cable";
  EXPECT_EQ(world.routing.row_of(16, 2100), world.routing.row_of(16)) << "rows are shared";
}

TEST(RouteChanges, WhatIsDownAtTheBeginningEverybodyKnows) {
  const World world =
      world_with(small_zone_options(), {{.node = "ctsw1", .until_ps = 5}, {.node = "ctsw0", .at_ps = 1}});
  for (const NodeId rtsw : {16u, 17u}) {
    const EndpointId far = rtsw == 16 ? 5 : 0;
    EXPECT_EQ(next_hops(world, rtsw, far, 0), (Ports{4, 6})) << "at once, though it is over before others would notice";
    EXPECT_EQ(next_hops(world, rtsw, far, 11), (Ports{})) << "ctsw0 is detected after 10";
    EXPECT_EQ(next_hops(world, rtsw, far, 105), (Ports{5, 7})) << "ctsw1 is used again when all know that it is back";
  }
}

TEST(RouteChanges, ASwitchIsAvoidedByItsNeighboursAtOnce) {
  const World world = world_with(small_zone_options(), {{.node = "ctsw1", .at_ps = 1000}});
  for (const NodeId rtsw : {16u, 17u, 18u, 19u}) {
    const EndpointId far = rtsw == 16 ? 5 : 0;
    EXPECT_EQ(next_hops(world, rtsw, far, 1009).size(), 4u);
    EXPECT_EQ(next_hops(world, rtsw, far, 1010), (Ports{4, 6}));
    EXPECT_EQ(next_hops(world, rtsw, far, kNever - 1), (Ports{4, 6}));
  }
  EXPECT_EQ(next_hops(world, 21, 0, 1010), Ports{}) << "it has no cable";
}

/// Between detect and converge other switches still send to the switch that has lost its path.
TEST(RouteChanges, OthersKnowLater) {
  FabricOptions fabric = small_multi_zone_options();  // rtsw 8..11, ctsw 12..15, atsw 16, 17
  const World world = world_with(fabric, {{.link = {"rtsw0", "ctsw0"}, .at_ps = 1000, .until_ps = 2000}});
  EXPECT_EQ(next_hops(world, 8, 2, 1010), (Ports{3})) << "the rack itself";
  EXPECT_EQ(next_hops(world, 12, 0, 1010), Ports{}) << "ctsw0 has lost the rack";
  EXPECT_EQ(next_hops(world, 9, 0, 1099), (Ports{2, 3})) << "the other rack does not know";
  EXPECT_EQ(next_hops(world, 9, 0, 1100), (Ports{3}));
  EXPECT_EQ(next_hops(world, 16, 0, 1099), (Ports{0, 1})) << "nor do the ATSWs";
  EXPECT_EQ(next_hops(world, 16, 0, 1100), (Ports{1}));
  EXPECT_EQ(next_hops(world, 16, 0, 2099), (Ports{1}));
  EXPECT_EQ(next_hops(world, 16, 0, 2100), (Ports{0, 1}));
  EXPECT_EQ(next_hops(world, 16, 2, 1500), (Ports{0, 1})) << "towards other racks nothing changes";
}

TEST(RouteChanges, WhatNobodyNoticesOrUsesChangesNothing) {
  const FabricOptions zone = small_zone_options();
  EXPECT_FALSE(world_with(zone, {{.node = "ctsw0", .at_ps = 1000, .until_ps = 1010}}).routing.rows_change());
  EXPECT_FALSE(world_with(zone, {{.node = "gpu0", .at_ps = 1000}}).routing.rows_change());
  EXPECT_FALSE(world_with(zone, {{.node = "ctsw0", .kind = "rate", .at_ps = 1000}}).routing.rows_change());
  EXPECT_TRUE(world_with(zone, {{.node = "ctsw0", .at_ps = 1000, .until_ps = 1011}}).routing.rows_change());
}

/// A cable that flaps faster than routing converges stays out.
TEST(RouteChanges, FlappingKeepsItOut) {
  const World world = world_with(
      small_zone_options(),
      {{.link = {"rtsw0", "ctsw0"}, .cable = 1, .at_ps = 1000, .until_ps = 1020, .times = 10, .period_ps = 50}});
  const TimePs last_up = 1020 + 9 * 50;
  for (TimePs t = 1010; t < last_up + 100; t += 7) EXPECT_EQ(next_hops(world, 16, 5, t), (Ports{5, 6, 7})) << t;
  EXPECT_EQ(next_hops(world, 16, 5, last_up + 100).size(), 4u);
}

/// Every switch far from all failed cables has the rows of a fabric without these cables.
TEST(RouteChanges, RowsAreThoseOfAFabricWithoutTheCables) {
  const World world = world_with(small_multi_zone_options(), {{.link = {"ctsw0", "atsw0"}, .at_ps = 1000},
                                                              {.link = {"rtsw3", "ctsw3"}, .at_ps = 1050}});
  std::vector<bool> out(world.fabric.links.size(), false);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    if (!world.failures.of(l).empty()) out[l] = true;
  }
  const NextHopTable expected = next_hops_without(world.fabric, world.routing, out);
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n) {
    for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
      if (world.routing.attach_switch[e] == n) continue;
      const u32 row = expected.row_of[n - world.fabric.endpoints];
      const auto ports = expected.ports_of(expected.set_in_row(row, world.routing.group_of[e]));
      EXPECT_EQ(next_hops(world, n, e, 1150), Ports(ports.begin(), ports.end())) << world.fabric.names[n];
    }
  }
}

}  // namespace
}  // namespace heddle
