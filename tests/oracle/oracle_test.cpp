// Whole runs of the oracle against results worked out by hand, to the picosecond: times, digest, how runs end.
#include "tests/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

TEST(Oracle, OnePacketTakesItsClosedForm) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 5'000}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  const MessageOutcome& m = outcome.messages[0];
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(m.start_ps, 5'000);
  EXPECT_EQ(m.received_ps, 5'000 + 2 * (kSer + kTinyLambda));
  EXPECT_EQ(m.acked_ps, m.received_ps + 2 * kAckTime);
  EXPECT_EQ(outcome.end_ps, m.acked_ps);
  EXPECT_EQ(outcome.totals.packet_hops, 4u);
  EXPECT_EQ(outcome.totals.data_packets_received, 1u);
}

TEST(Oracle, AMessageOverTwoSwitchesIsPipelined) {
  World world = line(1, 1, 1);
  add_qp(world, 0, 1, {{2 * 4096 + 100, 0}});
  Outcome outcome = simulate(world, {});
  // Each packet starts at a switch once it has arrived whole and the packet before it has left.
  TimePs first_two = kSer + kSerNext;
  TimePs last = (100 + 102) * 20;
  TimePs at_first_switch = first_two + last + kTinyLambda;
  TimePs second_packet_leaves_first_switch = std::max(kSer + kSer, first_two) + kTinyLambda + kSerNext;
  TimePs leaves = std::max(at_first_switch, second_packet_leaves_first_switch);
  TimePs second_leaves_second = kSer + kSer + kTinyLambda + kTinyLambda + kSer + kSerNext;
  TimePs received = std::max(leaves + last + kTinyLambda, second_leaves_second) + last + kTinyLambda;
  EXPECT_EQ(outcome.messages[0].received_ps, received);
}

TEST(Oracle, TheDigestIsTheSumOfItsEvents) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  Outcome outcome = simulate(world, {true, kAllKinds});
  u64 sum = 0;
  for (const Event& e : outcome.events) sum += digest_of(e);
  EXPECT_EQ(outcome.event_digest, sum);
  Outcome untraced = simulate(world, {false, kAllKinds});
  for (const Event& e : events_of(outcome, EventKind::depart, 0)) sum -= digest_of(e);
  for (const Event& e : events_of(outcome, EventKind::depart, 1)) sum -= digest_of(e);
  for (const Event& e : events_of(outcome, EventKind::depart, 2)) sum -= digest_of(e);
  EXPECT_EQ(untraced.event_digest, sum);
}

TEST(Oracle, AQpFailsWhenItsTriesAreUsedUp) {
  World world = star(2);
  world.fabric.classes[1].limit_bytes = 100;  // no packet passes
  world.roce.rto_tries = 2;
  add_qp(world, 0, 1, {{4096, 0}});
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::qp_failed);
  EXPECT_EQ(outcome.totals.timeouts, 2u);
  const TimePs failed_ps = 3 * world.roce.rto_ps, epoch_ps = world.clocks.epoch_ps;
  EXPECT_EQ(outcome.end_ps, (failed_ps / epoch_ps + 8) * epoch_ps);  // the eighth epoch start after the failure
}

TEST(Oracle, AfterAFailureTheOthersGoOnToTheEighthEpochStart) {
  World world = star(3);
  world.clocks.epoch_ps = TimePs{1} << 24;
  world.fabric.classes[2].limit_bytes = 100;  // no packet of this class passes
  world.roce.rto_ps = 5'000'000;
  world.roce.rto_tries = 1;
  QpId lost = add_qp(world, 0, 2, {{4096, 0}});
  add_qp(world, 1, 2, {{5000 * 4096, 0}});
  world.traffic.qps[lost].traffic_class = 2;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::qp_failed);
  const TimePs end_ps = 8 * world.clocks.epoch_ps;
  EXPECT_EQ(outcome.end_ps, end_ps);
  EXPECT_EQ(data_departures(outcome, 0, 0).size(), 2u);  // one transmission, one retransmission
  EXPECT_EQ(data_departures(outcome, 1, 0).size(), static_cast<u64>((end_ps - kSer - 1) / kSerNext) + 2);
  world.clocks.horizon_ps = 12'000'000;  // between the failure and the epoch start
  EXPECT_EQ(simulate(world, {}).end_ps, 12'000'000);
}

TEST(Oracle, APointlessTimeoutBeyondTheHorizonDoesNotKeepARunGoing) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  world.clocks.horizon_ps = world.roce.rto_ps / 2;
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_LT(outcome.end_ps, world.clocks.horizon_ps);
}

TEST(Oracle, TheHorizonIsExclusive) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  world.clocks.horizon_ps = 2 * (kSer + kTinyLambda);
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::horizon);
  EXPECT_EQ(outcome.messages[0].received_ps, -1);
  world.clocks.horizon_ps += 1;
  EXPECT_EQ(simulate(world, {}).messages[0].received_ps, 2 * (kSer + kTinyLambda));
}

TEST(Oracle, BadTablesAreRefused) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  world.traffic.qps[0].traffic_class = 0;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.traffic.qps[0].traffic_class = 1;
  world.fabric.links[0].lambda_ps = 0;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::oracle
