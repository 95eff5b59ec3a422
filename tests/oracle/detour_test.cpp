// Whole runs with detours, by hand (MODEL.md, 7.11): classes by hop, accounts, pauses, drops and marks at the turn.
// Three groups: NIC 0 sends to NIC 2 in group 1; detours go through the spine of group 2, where they turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_dragonfly.hpp"
#include "tests/oracle/tiny_events.hpp"

namespace heddle::oracle {
namespace {

constexpr NodeId kLeaf0 = 4, kLeaf1 = 5, kSpine0 = 7, kSpine1 = 8, kSpine2 = 9;
constexpr u32 kFrom0 = 1, kTo1 = 2;  // ports of kSpine2

/// With threshold 0, of which the first packets of an ingress take the ways: direct, detour, direct, direct, detour,
/// ...
World three_groups(u32 packets) {
  World world = tiny_dragonfly(3, 0);
  world.clocks.epoch_ps = TimePs{1} << 30;  // nothing is sampled: a packet sees what its ingress has sent alone
  world.clocks.horizon_ps = 1'000'000'000;  // an account that is released wrongly would keep a run going for ever
  add_qp(world, 0, 2, {{packets * u64{4096}, 0}});
  return world;
}

LinkId link_from(const World& world, NodeId node, u32 port) { return world.fabric.nodes[node].first_link + port; }

/// Packets that come by a link pause it when they are more than four. Other links never do.
void pause_early(World& world, LinkId link) {
  world.fabric.ingress.push_back({false, 20'000, 10'000, 1'000'000, 0});
  world.fabric.links[link].ingress = static_cast<u32>(world.fabric.ingress.size() - 1);
}

/// A packet takes 8 us.
void slow_down(World& world, LinkId link) { world.fabric.links[link].ps_per_byte_q16 = 100 * kTinySpeed; }

std::vector<Event> drops_at(const Outcome& outcome, NodeId node, DropCause cause) {
  std::vector<Event> found = events_of(outcome, EventKind::drop, node);
  std::erase_if(found, [&](const Event& e) { return e.detail != static_cast<u32>(cause); });
  return found;
}

/// "0:1 4:1": the nodes that a packet left, and in which class.
std::string way_of(const Outcome& outcome, u32 psn) {
  std::vector<Event> left;
  for (const Event& e : outcome.events) {
    if (e.kind == EventKind::depart && kind_of(e) == 0 && (e.value & 0xffffff) == psn) left.push_back(e);
  }
  std::ranges::stable_sort(left, {}, &Event::time_ps);
  std::string way;
  for (const Event& e : left) way += std::to_string(e.node) + ":" + std::to_string(e.cls) + " ";
  return way;
}

/// The second packet finds one grade on the direct way and turns in group 2; class 3 begins there and stays.
TEST(OracleDetourRuns, TheClassRisesAtTheTurn) {
  Outcome outcome = simulate(three_groups(5), {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  for (u32 direct : {0u, 2u, 3u}) EXPECT_EQ(way_of(outcome, direct), "0:1 4:1 7:1 8:1 5:1 ") << direct;
  for (u32 detour : {1u, 4u}) EXPECT_EQ(way_of(outcome, detour), "0:1 4:1 7:1 9:3 8:3 5:3 ") << detour;
}

TEST(OracleDetourRuns, WithoutDetoursNothingTurns) {
  World world = three_groups(5);
  world.routing.parameters["adaptive.detours"] = 0;
  for (u32 psn = 0; psn < 5; ++psn) EXPECT_EQ(way_of(simulate(world, {false, kAllKinds}), psn), "0:1 4:1 7:1 8:1 5:1 ");
}

/// Four packets of another class wait for group 1 at the epoch start. Of four grades in all a detour is taken; with a
/// byte less, they are three, as many as the threshold has.
TEST(OracleDetourRuns, TheQueueAtTheEpochStartDecides) {
  const u64 one_grade = 4096 + kEthernetGapBytes - kTinyDataWire + 4096;  // payload of a frame of 4096 bytes
  for (u64 last : {one_grade - 1, one_grade}) {
    World world = tiny_dragonfly(3, 3 * 4096);
    slow_down(world, link_from(world, kSpine0, 1));
    const TimePs epoch = TimePs{1} << 22;  // 4 us, in which the direct way has begun to send one packet
    world.clocks.epoch_ps = epoch;
    add_qp(world, 0, 2, {{one_grade, epoch}});
    QpId flood = add_qp(world, 1, 2, {{one_grade, 0}, {one_grade, 0}, {one_grade, 0}, {one_grade, 0}, {last, 0}});
    world.traffic.qps[flood].traffic_class = 2;
    std::vector<Event> left = events_of(simulate(world, {false, kAllKinds}), EventKind::depart, kSpine0);
    std::erase_if(left, [](const Event& e) { return e.cls != kDetouredClass; });
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].port, last == one_grade ? 2 : 1);
  }
}

/// Who has come by a level port is not sent on a second detour, however long the queue is; who comes from below is.
TEST(OracleDetourRuns, NobodyTakesASecondDetour) {
  World world = three_groups(60);
  add_qp(world, 3, 2, {{60 * 4096, 0}});  // from group 2
  slow_down(world, link_from(world, kSpine2, kTo1));
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  u32 turned = 0, back = 0;
  for (const Event& e : data_departures(outcome, kSpine2, kTo1)) turned += e.cls == kDetourClass;
  EXPECT_GT(turned, 15u);
  for (const Event& e : data_departures(outcome, kSpine2, kFrom0)) {
    EXPECT_EQ((e.value >> 28) & 0xffff, 1u) << "of group 2's own queue pair";
    ++back;
  }
  EXPECT_GT(back, 15u);
}

/// Five packets wait in class 3 for a slow link: the account of class 1 pauses their ingress, and resumes it.
TEST(OracleDetourRuns, TheAccountIsOfTheClassInWhichTheyCame) {
  World world = three_groups(60);
  const LinkId to_1 = link_from(world, kSpine2, kTo1);
  slow_down(world, to_1);
  pause_early(world, link_from(world, kSpine0, 2));
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  auto pauses = events_of(outcome, EventKind::pause, kSpine2), ends = events_of(outcome, EventKind::resume, kSpine2);
  ASSERT_GE(pauses.size(), 1u);
  EXPECT_EQ(pauses.size(), ends.size());
  EXPECT_EQ(outcome.totals.pauses, pauses.size());
  for (const Event& e : pauses) EXPECT_EQ(std::pair(u32{e.cls}, u32{e.port}), std::pair(1u, kFrom0));
  for (const Event& e : ends) EXPECT_EQ(std::pair(u32{e.cls}, u32{e.port}), std::pair(1u, kFrom0));
  const TimePs frame_time = 84 * 20 + kTinyPhi, from = pauses[0].time_ps + frame_time,
               to = ends[0].time_ps + frame_time;
  for (const Event& e : data_departures(outcome, kSpine0, 2)) EXPECT_TRUE(e.time_ps < from || e.time_ps >= to);
}

/// The headroom is that of the account, and so is the class of the drop.
TEST(OracleDetourRuns, AFullAccountDropsInTheClassInWhichTheyCame) {
  World world = three_groups(60);
  slow_down(world, link_from(world, kSpine2, kTo1));
  world.fabric.ingress.push_back({false, 20'000, 10'000, 0, 0});
  world.fabric.links[link_from(world, kSpine0, 2)].ingress = 1;
  world.clocks.horizon_ps = 20'000'000;
  auto drops = drops_at(simulate(world, {false, kAllKinds}), kSpine2, DropCause::headroom_overrun);
  ASSERT_GE(drops.size(), 1u);
  for (const Event& e : drops) EXPECT_EQ(std::pair(u32{e.cls}, u32{e.port}), std::pair(1u, kFrom0));
}

/// A pause of class 3 stops detours where they have turned; class 1 passes by the same port.
TEST(OracleDetourRuns, TheyArePausedInClass3) {
  World world = three_groups(60);
  slow_down(world, link_from(world, kSpine1, 0));
  pause_early(world, link_from(world, kSpine2, kTo1));
  add_qp(world, 3, 2, {{4096, 15'000'000}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  auto pauses = events_of(outcome, EventKind::pause, kSpine1), ends = events_of(outcome, EventKind::resume, kSpine1);
  ASSERT_GE(ends.size(), 1u);
  for (const Event& e : pauses) EXPECT_EQ(std::pair(u32{e.cls}, u32{e.port}), std::pair(3u, 2u));
  const TimePs frame_time = 84 * 20 + kTinyPhi, from = pauses[0].time_ps + frame_time,
               to = ends[0].time_ps + frame_time;
  u32 of_class[kMaxClasses] = {};
  bool waits = false;
  for (const Event& e : data_departures(outcome, kSpine2, kTo1)) {
    if (e.time_ps >= from && e.time_ps < to) ++of_class[e.cls];
    waits |= e.cls == kDetourClass && e.time_ps == to;
  }
  EXPECT_TRUE(waits) << "class 3 had something to send";
  EXPECT_EQ(of_class[3], 0u);
  EXPECT_EQ(of_class[1], 1u);
}

/// Class 3 has a limit here, class 1 has none: the queue of class 3 refuses, and the drop names class 1.
TEST(OracleDetourRuns, TheLimitIsOfClass3AndItsDropsNameClass1) {
  World world = three_groups(60);
  slow_down(world, link_from(world, kSpine2, kTo1));
  world.fabric.classes[kDetourClass].limit_bytes = 10'000;
  world.clocks.horizon_ps = 20'000'000;
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto drops = drops_at(outcome, kSpine2, DropCause::class_limit);
  ASSERT_GE(drops.size(), 1u);
  EXPECT_EQ(outcome.totals.drops[0], drops.size());
  for (const Event& e : drops) EXPECT_EQ(std::pair(u32{e.cls}, u32{e.port}), std::pair(1u, kTo1));
}

/// What waits when the cable goes down is dropped in class 3, what comes later in class 1. The account, which had
/// paused its ingress, is released.
TEST(OracleDetourRuns, AQueueIsEmptiedInClass3) {
  World world = three_groups(60);
  const LinkId to_1 = link_from(world, kSpine2, kTo1);
  slow_down(world, to_1);
  pause_early(world, link_from(world, kSpine0, 2));
  const TimePs down = 10'000'000;
  world.clocks.horizon_ps = 20'000'000;
  let_fail(world, {{down, to_1, LinkState{}}});
  // Both directions have the speed of their cable.
  world.fabric.links[world.fabric.links[to_1].reverse].ps_per_byte_q16 = 100 * kTinySpeed;
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto drops = drops_at(outcome, kSpine2, DropCause::link_down);
  u32 waiting = 0, arriving = 0;
  for (const Event& e : drops) {
    if (e.time_ps < down) continue;  // lost on the way
    EXPECT_EQ(e.port, kTo1);
    EXPECT_EQ(e.cls, e.time_ps == down ? 3 : 1);
    ++(e.time_ps == down ? waiting : arriving);
  }
  EXPECT_GE(waiting, 5u);
  EXPECT_GE(arriving, 1u);
  auto ends = events_of(outcome, EventKind::resume, kSpine2);
  const TimePs slot = TimePs{1} << world.clocks.slot_log2_ps;
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].time_ps, (down + slot - 1) / slot * slot);
}

/// The same with the watchdog, which looks at the pause of class 3.
TEST(OracleDetourRuns, TheWatchdogLooksAtClass3) {
  World world = three_groups(60);
  world.clocks.epoch_ps = TimePs{1} << 19;
  world.fabric.watchdog_ps = 1;
  world.clocks.horizon_ps = 20'000'000;
  slow_down(world, link_from(world, kSpine1, 0));
  pause_early(world, link_from(world, kSpine2, kTo1));
  auto drops = drops_at(simulate(world, {false, kAllKinds}), kSpine2, DropCause::watchdog);
  u32 of_class[kMaxClasses] = {};
  for (const Event& e : drops) {
    EXPECT_EQ(e.port, kTo1);
    ++of_class[e.cls];
    if (e.cls == kDetourClass) {
      EXPECT_EQ(e.time_ps % world.clocks.epoch_ps, 0);
    }
  }
  EXPECT_GE(of_class[3], 1u) << "emptied";
  EXPECT_GE(of_class[1], 1u) << "refused afterwards";
  EXPECT_EQ(of_class[3] + of_class[1], drops.size());
}

TEST(OracleDetourRuns, TheyAreMarkedInClass3) {
  for (bool at_arrival : {false, true}) {
    World world = three_groups(5);
    world.fabric.ecn_at_arrival = at_arrival;
    world.fabric.ecn = {{0, 0, 0}};  // every packet
    world.fabric.links[link_from(world, kSpine2, kTo1)].ecn = 0;
    world.fabric.classes[kDetouredClass].ecn = false;
    Outcome outcome = simulate(world, {false, kAllKinds});
    auto marks = events_of(outcome, EventKind::mark, kSpine2);
    EXPECT_EQ(marks.size(), 2u);
    for (const Event& e : marks) EXPECT_EQ(e.cls, kDetourClass);
    world.fabric.classes[kDetouredClass].ecn = true;
    world.fabric.classes[kDetourClass].ecn = false;
    EXPECT_EQ(simulate(world, {}).totals.marks, 0u);
  }
}

/// The ACK of a packet that came in class 3 is of its QP's class, and takes its own turns.
TEST(OracleDetourRuns, AnAckIsOfTheClassOfItsQueuePair) {
  World world = three_groups(5);
  world.roce.ack_high_priority = false;
  world.roce.ack_every = 1;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  u32 acks = 0;
  for (const Event& e : events_of(outcome, EventKind::depart, 2)) {
    EXPECT_EQ(e.cls, kDetouredClass);
    ++acks;
  }
  EXPECT_GT(acks, 1u);
}

TEST(OracleDetourRuns, Class3IsForThemAlone) {
  World world = three_groups(1);
  world.traffic.qps[0].traffic_class = kDetourClass;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world = three_groups(1);
  world.routing.detour_class = 2;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world = three_groups(1);
  world.fabric.classes.pop_back();
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::oracle
