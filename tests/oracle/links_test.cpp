// Outcomes of links, worked out by hand.
#include <gtest/gtest.h>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr u64 kFrame = kTinyDataWire - kEthernetGapBytes;

/// A star of n endpoints has the uplinks e and the downlinks n + e.
TEST(OracleLinks, CountPacketsAndBytes) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.links.size(), 4u);
  EXPECT_EQ(outcome.links[0].packets, 1u);
  EXPECT_EQ(outcome.links[0].sent_bytes, kTinyDataWire);
  EXPECT_EQ(outcome.links[3].sent_bytes, kTinyDataWire);
  EXPECT_EQ(outcome.links[1].sent_bytes, 106u) << "the ACK";
  EXPECT_EQ(outcome.links[0].peak_queue_bytes, 0u) << "NICs have no queue";
  EXPECT_EQ(outcome.links[0].peak_queue_ps, -1);
  EXPECT_EQ(outcome.links[3].peak_queue_bytes, kFrame) << "it waits for no time, but it was accepted";
  EXPECT_EQ(outcome.links[3].peak_queue_ps, kSer + kTinyLambda);
  EXPECT_EQ(outcome.messages[0].received_bytes, 4096u);
}

TEST(OracleLinks, LargestQueueIsWithTheLastThatIsAcceptedBeforeAStart) {
  World world = star(4);
  for (EndpointId src = 1; src < 4; ++src) add_qp(world, src, 0, {{4096, 0}});  // all arrive at one instant
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.links[4].peak_queue_bytes, 3 * kFrame);
  EXPECT_EQ(outcome.links[4].peak_queue_ps, kSer + kTinyLambda);
}

TEST(OracleLinks, StartsOfTheInstantComeAfterItsArrivals) {
  World world = star(3);
  add_qp(world, 1, 0, {{4096, 0}});
  add_qp(world, 2, 0, {{4096, kSer}});  // arrives when the first ends: the queue was empty in between
  add_qp(world, 2, 0, {{4096, kSer}});
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.links[3].peak_queue_bytes, kFrame);
  EXPECT_EQ(outcome.links[3].peak_queue_ps, kSer + kTinyLambda) << "the first that left so much";
}

TEST(OracleLinks, OfAPacketCutByTheHorizonOnlyWhatIsOutCounts) {
  World world = star(2);
  add_qp(world, 0, 1, {{3 * 4096, 0}});
  world.clocks.horizon_ps = kSer + 1'000 * 20;  // 1,000 B of the second packet
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::horizon);
  EXPECT_EQ(outcome.links[0].packets, 2u);
  EXPECT_EQ(outcome.links[0].sent_bytes, kTinyDataWire + 1'000u);
  EXPECT_EQ(outcome.messages[0].received_bytes, 0u);
}

TEST(OracleLinks, ReceivedBytesOfAnUnfinishedMessage) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}, {2 * 4096 + 10, 0}});
  const TimePs second_ps = 2 * (kSer + kTinyLambda) + kSer;  // when the second message's first packet has arrived
  world.clocks.horizon_ps = second_ps + 1;
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.messages[0].received_bytes, 4096u);
  EXPECT_EQ(outcome.messages[1].received_bytes, 4096u);
  world.clocks.horizon_ps = kNever;
  EXPECT_EQ(simulate(world, {}).messages[1].received_bytes, 2u * 4096 + 10);
}

TEST(OracleLinks, PausesBelongToTheLinkThatIsPaused) {
  World world = star(3);
  world.fabric.ingress[0].xoff_bytes = 2 * kFrame;
  world.fabric.ingress[0].xon_bytes = 0;
  for (EndpointId src = 1; src < 3; ++src) add_qp(world, src, 0, {{40 * 4096, 0}});
  const Outcome outcome = simulate(world, {false, kAllKinds});
  const u64 decided = events_of(outcome, EventKind::pause, 3).size();
  ASSERT_GT(decided, 0u);
  EXPECT_EQ(outcome.links[1].pauses + outcome.links[2].pauses, decided);
  EXPECT_GT(outcome.links[1].paused_ps, 0u);
  EXPECT_EQ(outcome.links[4].pauses, 0u);
  EXPECT_EQ(outcome.links[4].paused_ps, 0u);
}

TEST(OracleLinks, DropsAreCountedWhereTheyHappen) {
  World world = star(2);
  world.fabric.classes[1].limit_bytes = 100;
  world.roce.rto_tries = 0;
  add_qp(world, 0, 1, {{4096, 0}});
  EXPECT_EQ(simulate(world, {}).links[3].egress_drops, 1u) << "class limit";
  World full = star(2);
  full.fabric.ingress[0] = {false, 100, 0, 100, 0};
  full.roce.rto_tries = 0;
  add_qp(full, 0, 1, {{4096, 0}});
  const Outcome outcome = simulate(full, {});
  EXPECT_EQ(outcome.links[0].ingress_drops, 1u) << "headroom overrun";
  EXPECT_EQ(outcome.links[3].egress_drops, 0u);
}

}  // namespace
}  // namespace heddle::oracle
