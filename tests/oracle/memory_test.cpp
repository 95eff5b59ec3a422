// Which packets a switch's memory holds and refuses, by hand: cells, dynamic limits of best effort, reserves, the
// watchdog (MODEL.md, 5.4 to 5.6 and 6).
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr u32 kAllKinds = 0xfff;
constexpr u64 kFirstFrame = kTinyDataWire - kEthernetGapBytes;  // 4194 B
constexpr u64 kNextFrame = kFirstFrame - 16;                    // 4178 B, without the message's header

std::vector<Event> events_of(const Outcome& outcome, EventKind kind) {
  std::vector<Event> found;
  for (const Event& e : outcome.events) {
    if (e.kind == kind) found.push_back(e);
  }
  return found;
}

/// Two senders of `packets` each to endpoint 2, all ingresses of the switch (node 3) in one pool of `shared` bytes.
World two_to_one(u64 packets, u64 shared_bytes) {
  World world = star(3);
  world.fabric.pools = {{.node = 3, .shared_bytes = shared_bytes, .limit_bytes = 10'000'000}};
  for (Link& link : world.fabric.links) link.pool = link.ingress = link.dst == 3 ? 0 : kNone;
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{packets * 4096, 0}});
  return world;
}

/// Likewise with a data class without PFC: best effort with a limit of alpha * free memory.
World best_effort(u64 packets, u64 shared_bytes, u32 alpha_q16) {
  World world = two_to_one(packets, shared_bytes);
  world.fabric.classes[1].pfc = false;
  world.fabric.classes[1].limit_alpha_q16 = alpha_q16;
  world.roce.rto_ps = 1'000'000'000;
  world.clocks.horizon_ps = 100'000'000;
  return world;
}

TEST(Cells, AQueueCountsWholeCells) {
  World world = star(2);
  world.fabric.ecn = {{.kmin_bytes = 4317, .kmax_bytes = 4317, .pmax_q32 = 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;
  add_qp(world, 0, 1, {{10 * 4096, 0}});
  EXPECT_EQ(simulate(world, {}).totals.marks, 0u) << "one frame of 4,194 B";
  world.fabric.nodes[2].cell_bytes = 254;
  EXPECT_EQ(simulate(world, {}).totals.marks, 10u) << "17 cells of 254 B are 4,318 B";
}

TEST(Cells, AnAccountCountsWholeCells) {
  World world = star(2);
  world.fabric.ingress[0] = {.dynamic = false, .xoff_bytes = 0, .xon_bytes = 0, .headroom_bytes = 4317};
  world.clocks.horizon_ps = 100'000'000;
  add_qp(world, 0, 1, {{4096, 0}});
  EXPECT_EQ(simulate(world, {}).totals.drops[1], 0u);
  world.fabric.nodes[2].cell_bytes = 254;
  EXPECT_EQ(simulate(world, {}).totals.drops[1], 1u);
}

TEST(DynamicLimit, AShareOfTheFreeMemoryBelowOneFrameAdmitsNothing) {
  const u64 shared = 1'000'000;
  const u32 alpha_q16 = 270;  // 4,119 B
  const Outcome outcome = simulate(best_effort(4, shared, alpha_q16), {});
  EXPECT_EQ(outcome.totals.data_packets_received, 0u);
  EXPECT_GE(outcome.totals.drops[0], 8u);
  EXPECT_EQ(simulate(best_effort(4, shared, 8 * alpha_q16), {}).totals.drops[0], 0u) << "about 32 KB";
}

TEST(DynamicLimit, WhatThePortAdmittedSinceTheEpochStartCountsAgainstFreeMemory) {
  // alpha 1: the two packets of one instant need queue + b <= shared - admitted: 0 + b <= shared, b + b <= shared - b.
  World world = best_effort(1, 3 * kFirstFrame, 1 << 16);
  EXPECT_EQ(simulate(world, {}).totals.drops[0], 0u);
  world.fabric.pools[0].shared_bytes = 3 * kFirstFrame - 1;
  world.clocks.horizon_ps = 3'000'000;
  EXPECT_EQ(simulate(world, {}).totals.drops[0], 1u);
  world.clocks.epoch_ps = 1 << 15;  // the same epoch still: both arrive at once
  EXPECT_EQ(simulate(world, {}).totals.drops[0], 1u);
}

TEST(DynamicLimit, BestEffortNeverTakesMoreThanIsShared) {
  World world = best_effort(1, 2 * kFirstFrame - 1, 64 << 16);  // the limit alone would admit both
  world.clocks.horizon_ps = 3'000'000;
  const Outcome outcome = simulate(world, {false, kAllKinds});
  ASSERT_EQ(outcome.totals.drops[0], 1u);
  EXPECT_EQ(events_of(outcome, EventKind::drop)[0].port, 2) << "the port that it wanted to leave by";
  world.fabric.pools[0].shared_bytes = 2 * kFirstFrame;
  EXPECT_EQ(simulate(world, {}).totals.drops[0], 0u);
}

TEST(DynamicLimit, BestEffortLowersTheThresholdsOfLosslessTraffic) {
  World world = two_to_one(40, 400'000);
  world.fabric.ingress[0] = {.dynamic = true, .headroom_bytes = 1'000'000, .alpha_q16 = 1 << 15};
  const u64 alone = simulate(world, {}).totals.pauses;
  world.fabric.classes[2].limit_alpha_q16 = 8 << 16;
  world.traffic = {};
  for (EndpointId e = 0; e < 2; ++e) {
    add_qp(world, e, 2, {{40 * 4096, 0}});
    const QpId second = add_qp(world, e, 2, {{40 * 4096, 0}});
    world.traffic.qps[second].traffic_class = 2;
  }
  EXPECT_EQ(alone, 0u);
  EXPECT_GT(simulate(world, {}).totals.pauses, 0u);
}

TEST(Reserve, IsAddedToXoffAndNotCountedAsSharedUse) {
  World world = two_to_one(6, 1'000'000);
  world.fabric.ingress[0] = {.dynamic = true, .headroom_bytes = 1'000'000, .alpha_q16 = 1};  // 15 B
  EXPECT_GT(simulate(world, {}).totals.pauses, 0u);
  world.fabric.ingress[0].reserve_bytes = 6 * static_cast<u32>(kFirstFrame);  // all six fit
  EXPECT_EQ(simulate(world, {}).totals.pauses, 0u);
}

TEST(Watchdog, EmptiesAPausedQueueAtAnEpochStartAndDropsUntilThePauseEnds) {
  World world = star(2);
  world.fabric.ingress.push_back(
      {.dynamic = false, .xoff_bytes = 20'000, .xon_bytes = 10'000, .headroom_bytes = 900'000});
  world.fabric.links[world.fabric.nodes[2].first_link + 1].ingress = 1;  // the account of the NIC of endpoint 1
  world.traffic.slow_receivers = {{1, 2000u << 16}};                     // 100 times slower than its line
  world.roce.rto_ps = 1'000'000'000;
  world.clocks.horizon_ps = 60'000'000;
  add_qp(world, 0, 1, {{200 * 4096, 0}});
  const Outcome without = simulate(world, {false, kAllKinds});
  EXPECT_EQ(without.totals.drops[3], 0u);
  const auto pause = events_of(without, EventKind::pause)[0];
  ASSERT_EQ(pause.node, 1u);
  ASSERT_TRUE(events_of(without, EventKind::resume).empty()) << "the NIC holds its line for longer than the run";

  world.fabric.watchdog_ps = 5'000'000;
  const Outcome with = simulate(world, {false, kAllKinds});
  const TimePs effect = pause.time_ps + 84 * 20 + kTinyPhi;  // the NIC's own egress was silent
  const TimePs epoch_ps = world.clocks.epoch_ps;
  const TimePs trips = (effect + world.fabric.watchdog_ps + epoch_ps - 1) / epoch_ps * epoch_ps;
  const auto drops = events_of(with, EventKind::drop);
  ASSERT_GT(drops.size(), 2u);
  EXPECT_EQ(drops[0].time_ps, trips);
  EXPECT_EQ(drops[0].port, 1);
  u64 at_once = 0;
  for (const Event& e : drops) {
    EXPECT_EQ(e.detail, static_cast<u32>(DropCause::watchdog));
    at_once += e.time_ps == trips;
  }
  // Packets that have arrived at the switch by then and have not left: packet k arrives k serialisations after the
  // first.
  u64 arrived = 0, left = 0;
  for (const Event& e : events_of(with, EventKind::depart)) {
    const bool data = ((e.value >> 24) & 15) == 0;
    const TimePs ser = e.node == 0 && arrived + 1 > 1 ? TimePs(kNextFrame + 20) * 20 : TimePs(kFirstFrame + 20) * 20;
    if (data && e.node == 0 && e.time_ps + ser + kTinyLambda < trips) ++arrived;
    if (data && e.node == 2 && e.time_ps < trips) ++left;
  }
  EXPECT_EQ(at_once, arrived - left);
  EXPECT_EQ(with.totals.drops[3], 200 - left) << "nothing passes any more until the pause ends";
}

}  // namespace
}  // namespace heddle::oracle
