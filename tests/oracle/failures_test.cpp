// Links of the oracle that fail, by hand (MODEL.md, 2.5, 5.8, 6.9, 7.9).
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/oracle/failing_links.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr LinkState kDown = {};
constexpr LinkState kUp = {kTinySpeed, 0};
constexpr TimePs kHop = kSer + kTinyLambda;  // time of a full first packet over one hop

std::vector<Event> drops_of(const Outcome& outcome, DropCause cause) {
  std::vector<Event> found;
  for (const Event& e : outcome.events) {
    if (e.kind == EventKind::drop && e.detail == static_cast<u32>(cause)) found.push_back(e);
  }
  return found;
}

u64 dropped(const Outcome& outcome, DropCause cause) { return outcome.totals.drops[static_cast<u32>(cause)]; }

/// Packets that the next node has not decided upon when the link goes down are lost; the sender reports the loss when
/// it sends.
TEST(OracleFailures, APacketOnItsWayIsLost) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  let_fail(world, {{kHop - 1, 0, kDown}, {kHop + 1000, 0, kUp}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  auto lost = drops_of(outcome, DropCause::link_down);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].time_ps, 0);
  EXPECT_EQ(lost[0].node, 0u);
  EXPECT_EQ(outcome.links[0].losses, 1u);
  EXPECT_EQ(outcome.links[0].packets, 2u);
  EXPECT_EQ(outcome.links[0].sent_bytes, 2 * u64{kTinyDataWire});
  EXPECT_EQ(outcome.totals.timeouts, 1u);
  EXPECT_EQ(outcome.totals.retransmits, 1u);
  EXPECT_EQ(outcome.messages[0].received_ps, world.roce.rto_ps + 2 * kHop);
}

TEST(OracleFailures, APacketThatIsDecidedUponAtThatInstantSurvives) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  let_fail(world, {{kHop, 0, kDown}, {kHop + 1000, 0, kUp}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(dropped(outcome, DropCause::link_down), 0u);
  EXPECT_EQ(outcome.messages[0].received_ps, 2 * kHop);
}

/// Each direction of the cable reports its changes at its source, also after all work is done.
TEST(OracleFailures, EveryChangeIsAnEvent) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  const TimePs late = 1'000'000'000;
  let_fail(world, {{late, 1, kDown}, {late + 5, 1, {2 * kTinySpeed, u64{7} << 32}}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.end_ps, outcome.messages[0].acked_ps);
  for (NodeId node : {1u, 2u}) {
    auto changes = events_of(outcome, EventKind::failure, node);
    ASSERT_EQ(changes.size(), 2u) << node;
    EXPECT_EQ(changes[0].time_ps, late);
    EXPECT_EQ(changes[0].value, 0u);
    EXPECT_EQ(changes[1].time_ps, late + 5);
    EXPECT_EQ(changes[1].value, (u64{2 * kTinySpeed} << 32) | 7);
    EXPECT_EQ(changes[1].port, node == 1 ? 0 : 1);
  }
  world.clocks.horizon_ps = late + 5;
  EXPECT_EQ(events_of(simulate(world, {false, kAllKinds}), EventKind::failure, 1).size(), 1u);
}

/// Two senders of 4 packets each to one receiver, whose downlink goes down when 4 packets have arrived and 2 have
/// started: these 2 are lost in flight, two are dropped from the queue, and the other four as they arrive.
TEST(OracleFailures, AQueueIsEmptiedWhenItsLinkGoesDown) {
  World world = star(3);
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{4 * 4096, 0}});
  const LinkId downlink = world.fabric.nodes[3].first_link + 2;
  const TimePs down = kHop + kSer + 1;
  let_fail(world, {{down, downlink, kDown}, {down + 100'000'000, downlink, kUp}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  auto lost = drops_of(outcome, DropCause::link_down);
  ASSERT_EQ(lost.size(), 8u);
  const TimePs second = kHop + 2 * kSerNext, third = kHop + 3 * kSerNext;
  const TimePs expected[] = {kHop, kHop + kSer, down, down, second, second, third, third};
  for (u32 i = 0; i < 8; ++i) {
    EXPECT_EQ(lost[i].time_ps, expected[i]) << i;
    EXPECT_EQ(lost[i].node, 3u);
    EXPECT_EQ(lost[i].port, 2u);
  }
  EXPECT_EQ(outcome.links[downlink].losses, 2u);
  EXPECT_EQ(outcome.links[downlink].egress_drops, 6u);
  EXPECT_EQ(outcome.totals.retransmits, 8u);
}

TEST(OracleFailures, ANicWaitsUntilItsLinkComesUp) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  let_fail(world, {{0, 0, kDown}, {50'000'000, 0, kUp}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.messages[0].start_ps, 50'000'000);
  EXPECT_EQ(outcome.messages[0].received_ps, 50'000'000 + 2 * kHop);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
}

/// The packet that is being sent continues at the speed at which it started.
TEST(OracleFailures, ASlowerLinkTakesLongerFromThenOn) {
  World world = star(2);
  add_qp(world, 0, 1, {{8 * 4096, 0}});
  const TimePs slow = kSer + 2 * kSerNext + 1;
  let_fail(world, {{slow, 0, {4 * kTinySpeed, 0}}, {slow + 8 * kSerNext, 0, kUp}});
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  ASSERT_EQ(sent.size(), 8u);
  TimePs t = 0;
  const TimePs takes[] = {kSer, kSerNext, kSerNext, kSerNext, 4 * kSerNext, 4 * kSerNext, kSerNext};
  for (u32 i = 0; i < 7; ++i) {
    EXPECT_EQ(sent[i].time_ps, t) << i;
    t += takes[i];
  }
}

/// A PAUSE in flight is lost when the cable goes down. The account forgets its pause; once the cable is up, the next
/// slot decides anew.
TEST(OracleFailures, PausesAreForgottenWithTheLink) {
  World world = star(3);
  world.fabric.ingress[0] = {false, 20'000, 10'000, 1'000'000, 0};
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{100 * 4096, 0}});
  const LinkId downlink = world.fabric.nodes[3].first_link + 2;
  const CableChange drip = {0, downlink, {2000u << 16, 0}};  // the queue does not drain
  let_fail(world, {drip});
  auto pauses_of_nic_0 = [&] {
    std::vector<Event> found;
    Outcome outcome = simulate(world, {false, kAllKinds});
    for (const Event& e : events_of(outcome, EventKind::pause, 3)) {
      if (e.port == 0) found.push_back(e);
    }
    return found;
  };
  const TimePs first = pauses_of_nic_0().at(0).time_ps, down = first + 1, up = down + 10'000'000;
  let_fail(world, {drip, {down, 0, kDown}, {up, 0, kUp}});
  auto pauses = pauses_of_nic_0();
  const TimePs slot = TimePs{1} << world.clocks.slot_log2_ps;
  ASSERT_GE(pauses.size(), 2u);
  EXPECT_EQ(pauses[0].time_ps, first);
  EXPECT_EQ(pauses[1].time_ps, (up + slot - 1) / slot * slot);
  std::vector<TimePs> sent;  // from the failure until the second PAUSE is in force
  for (const Event& e : data_departures(simulate(world, {false, kAllKinds}), 0, 0)) {
    if (e.time_ps >= down && e.time_ps < pauses[1].time_ps + 84 * 20 + kTinyPhi) sent.push_back(e.time_ps);
  }
  ASSERT_GT(sent.size(), 10u);
  EXPECT_EQ(sent[0], up) << "the first PAUSE would be in force";
}

/// A pause in force ends when the cable goes down, and its time stops counting.
TEST(OracleFailures, APauseInForceEndsWithTheLink) {
  World world = star(3);
  world.fabric.ingress[0] = {false, 20'000, 10'000, 1'000'000, 0};
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{100 * 4096, 0}});
  const LinkId downlink = world.fabric.nodes[3].first_link + 2;
  const CableChange drip = {0, downlink, {2000u << 16, 0}};
  const TimePs down = 20'000'000, up = 40'000'000;  // NIC 0 is paused from about 3 us on
  let_fail(world, {drip, {down, 0, kDown}, {up, 0, kUp}});
  world.clocks.horizon_ps = up + 1;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(data_departures(outcome, 0, 0).back().time_ps, up);
  EXPECT_LT(outcome.links[0].paused_ps, static_cast<u64>(down));
  EXPECT_GT(outcome.links[0].paused_ps, static_cast<u64>(down) - 5'000'000);
  EXPECT_GT(outcome.links[1].paused_ps, static_cast<u64>(up) - 5'000'000) << "the other NIC stays paused";
}

/// A PAUSE leaves while the cable is slow, its RESUME once it is fast again: frames keep their order, so the RESUME
/// takes effect with the PAUSE, and no sender stays paused.
TEST(OracleFailures, ThePauseOfASlowCableIsNotOvertakenByItsEnd) {
  World world = star(3);
  world.fabric.ingress[0] = {false, 4'000, 100, 1'000'000, 0};
  const TimePs later = 5'000'000;
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{4096, 0}, {4096, e == 0 ? later : 2 * later}});
  const TimePs slot = TimePs{1} << world.clocks.slot_log2_ps, decided = (kHop / slot + 1) * slot;
  const LinkState slow = {kTinySpeed * 400, 0};  // 84 bytes take 672 ns
  std::vector<CableChange> changes;
  for (LinkId l = 0; l < 2; ++l) {
    changes.push_back({kHop, l, slow});
    changes.push_back({decided + 1, l, kUp});
  }
  let_fail(world, changes);
  Outcome outcome = simulate(world, {false, kAllKinds});
  const std::vector<Event> pauses = events_of(outcome, EventKind::pause, 3);
  const std::vector<Event> ends = events_of(outcome, EventKind::resume, 3);
  ASSERT_EQ(pauses.size(), 1u) << "of the packet that waits for the other one";
  ASSERT_EQ(ends.size(), 1u);
  ASSERT_EQ(pauses[0].time_ps, decided);
  ASSERT_LT(ends[0].time_ps, decided + 84 * 20 * 399) << "by itself it would come sooner than the PAUSE";
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[1].received_ps, later + 2 * kHop);
  EXPECT_EQ(outcome.messages[3].received_ps, 2 * later + 2 * kHop);
  for (LinkId l = 0; l < 2; ++l) EXPECT_EQ(outcome.links[l].paused_ps, 0u);
}

TEST(OracleFailures, BitErrorsLosePackets) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  let_fail(world, {{0, 0, {kTinySpeed, u64{1} << 63}}, {1'000'000, 0, kUp}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(drops_of(outcome, DropCause::corrupted).size(), 1u);
  EXPECT_EQ(outcome.links[0].losses, 1u);
  EXPECT_EQ(outcome.messages[0].received_ps, world.roce.rto_ps + 2 * kHop);
}

TEST(OracleFailures, SurvivalIsThePowerOfABytes) {
  EXPECT_EQ(survival_q64(u64{1} << 63, 1), (u64{1} << 63) - 1);
  EXPECT_EQ(survival_q64(u64{1} << 63, 64), 0u);
  for (double loss : {1e-12, 8e-9, 1e-4}) {
    for (u64 bytes : {84u, 4214u, 16383u}) {
      const double survives =
          std::ldexp(static_cast<double>(survival_q64(static_cast<u64>(std::ldexp(loss, 64)), bytes)), -64);
      EXPECT_NEAR(survives / std::exp(static_cast<double>(bytes) * std::log1p(-loss)), 1, 1e-12);
    }
  }
}

/// About one packet of ten is lost, and a different one with another seed.
TEST(OracleFailures, BitErrorsFollowTheSeed) {
  World world = star(2);
  world.roce.ack_every = 1;
  add_qp(world, 0, 1, {{1000 * 4096, 0}});
  const double lost = 1 - std::pow(0.9, 1.0 / (4096 + 102));
  let_fail(world, {{0, 0, {kTinySpeed, static_cast<u64>(std::ldexp(lost, 64))}}});
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  const double share = static_cast<double>(outcome.links[0].losses) / static_cast<double>(outcome.links[0].packets);
  EXPECT_NEAR(share, 0.1, 0.03);
  world.seed = 2;
  EXPECT_NE(simulate(world, {}).event_digest, outcome.event_digest);
}

/// A switch that has no row to a group any more drops packets to it, until it has a row again.
TEST(OracleFailures, WithoutANextHopPacketsAreDropped) {
  World world = line(1, 1, 2);
  add_qp(world, 0, 1, {{4096, 0}});
  Routing& routing = world.routing;
  routing.table.set_of.insert(routing.table.set_of.end(), {kNone, kNone});  // row 2
  routing.row_change_first = {0, 2, 2};
  routing.row_changes = {{kHop, 2}, {1'000'000'000, 0}};
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto lost = drops_of(outcome, DropCause::no_route);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].time_ps, kHop);
  EXPECT_EQ(lost[0].node, 2u);
  EXPECT_EQ(lost[0].port, 0u);
  EXPECT_EQ(outcome.links[0].ingress_drops, 1u);
  EXPECT_EQ(outcome.messages[0].received_ps, world.roce.rto_ps + 3 * kHop);
}

/// From an instant on only the second of two cables carries traffic.
TEST(OracleFailures, RowsChangeAtTheirInstant) {
  World world = line(1, 1, 2);
  for (u32 i = 0; i < 40; ++i) add_qp(world, 0, 1, {{4096, 0}});
  Routing& routing = world.routing;
  routing.table.sets.push_back({1, 1});
  routing.table.set_of.insert(routing.table.set_of.end(), {kNone, 2});
  const TimePs later = kHop + 20 * kSer;
  routing.row_change_first = {0, 1, 1};
  routing.row_changes = {{later, 2}};
  Outcome outcome = simulate(world, {false, kAllKinds});
  u32 before = 0;
  for (const Event& e : data_departures(outcome, 2, 1)) {
    before += e.time_ps < later;
    EXPECT_LT(e.time_ps, later + 20 * kSer) << "what had been routed there before";
  }
  EXPECT_GT(before, 0u);
  for (const Event& e : data_departures(outcome, 2, 2)) EXPECT_GE(e.time_ps, kHop);
  EXPECT_GT(data_departures(outcome, 2, 2).size(), 20u);
}

TEST(OracleFailures, TablesThatContradictThemselvesAreRefused) {
  World world = star(2);
  add_qp(world, 0, 1, {{4096, 0}});
  let_fail(world, {{5, 0, kDown}, {5, 0, kUp}});
  EXPECT_THROW(simulate(world, {}), std::invalid_argument) << "twice at one time";
  let_fail(world, {{5, 0, kUp}});
  EXPECT_THROW(simulate(world, {}), std::invalid_argument) << "changes nothing";
  let_fail(world, {{5, 0, {kTinySpeed / 2, 0}}});
  EXPECT_THROW(simulate(world, {}), std::invalid_argument) << "faster";
  let_fail(world, {{5, 0, kDown}});
  world.failures.changes[1].state = {2 * kTinySpeed, 0};
  EXPECT_THROW(simulate(world, {}), std::invalid_argument) << "one direction only";
}

}  // namespace
}  // namespace heddle::oracle
