// The oracle against what can be worked out by hand, to the picosecond.
#include "tests/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"
#include "tests/oracle/sender.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr u32 kAllKinds = 0xfff;
constexpr TimePs kSer = TimePs{kTinyDataWire} * 20;   // a full first packet at 400G
constexpr TimePs kSerNext = TimePs{4096 + 102} * 20;  // a full packet within a message
constexpr TimePs kAckTime = 106 * 20 + kTinyLambda;   // an ACK over one hop

std::vector<Event> events_of(const Outcome& outcome, EventKind kind, NodeId node) {
  std::vector<Event> found;
  for (const Event& e : outcome.events) {
    if (e.kind == kind && e.node == node) found.push_back(e);
  }
  return found;
}

u32 destination_of(const Event& e) { return static_cast<u32>(e.value >> 44); }
u32 kind_of(const Event& e) { return static_cast<u32>(e.value >> 24) & 15; }

/// Data packets that leave `node` by `port`.
std::vector<Event> data_departures(const Outcome& outcome, NodeId node, u32 port) {
  std::vector<Event> found;
  for (const Event& e : events_of(outcome, EventKind::depart, node)) {
    if (e.port == port && kind_of(e) == 0) found.push_back(e);
  }
  return found;
}

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
  // The first packet is the longest: the others queue behind it at no hop but the last, short one catches up with none.
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
  EXPECT_EQ(outcome.digest, sum);
  Outcome untraced = simulate(world, {false, kAllKinds});
  for (const Event& e : events_of(outcome, EventKind::depart, 0)) sum -= digest_of(e);
  for (const Event& e : events_of(outcome, EventKind::depart, 1)) sum -= digest_of(e);
  for (const Event& e : events_of(outcome, EventKind::depart, 2)) sum -= digest_of(e);
  EXPECT_EQ(untraced.digest, sum);
}

TEST(Oracle, TwoQpsOfANicAlternate) {
  World world = star(3);
  add_qp(world, 0, 1, {{4 * 4096, 0}});
  add_qp(world, 0, 2, {{4 * 4096, 0}});
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  ASSERT_EQ(sent.size(), 8u);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(destination_of(sent[i]), i % 2 == 0 ? 1u : 2u);
}

TEST(Oracle, WeightsShareALinkByBytes) {
  World world = star(2);
  world.fabric.classes[2].weight = 3;
  QpId light = add_qp(world, 0, 1, {{100 * 4096, 0}});
  QpId heavy = add_qp(world, 0, 1, {{100 * 4096, 0}});
  world.traffic.qps[light].traffic_class = 1;
  world.traffic.qps[heavy].traffic_class = 2;
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  u32 of_class[kMaxClasses] = {};
  for (std::size_t i = 0; i < 80; ++i) ++of_class[sent[i].cls];
  EXPECT_NEAR(of_class[2], 60, 2);
}

TEST(Oracle, SimultaneousArrivalsRankByRotatedPort) {
  World world = star(4);
  for (EndpointId e = 0; e < 3; ++e) add_qp(world, e, 3, {{4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto sent = data_departures(outcome, 4, 3);
  ASSERT_EQ(sent.size(), 3u);
  TimePs arrival = kSer + kTinyLambda;
  u64 rotation = hash32(world.seed, Stream::tie, u64{4}, static_cast<u64>(arrival));
  auto rank = [&](u64 port) { return (port + rotation) % 4; };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i].time_ps, arrival + static_cast<TimePs>(i) * kSer);
    u64 sender = (sent[i].value >> 28) & 0xffff;  // receiver's QP numbers follow the senders here
    if (i > 0) {
      EXPECT_LT(rank((sent[i - 1].value >> 28) & 0xffff), rank(sender));
    }
  }
}

TEST(Oracle, EcmpTakesTheHashedCable) {
  World world = line(8, 8, 4);
  for (EndpointId e = 0; e < 8; ++e) add_qp(world, e, 8 + e, {{4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  for (const Event& e : events_of(outcome, EventKind::depart, 16)) {
    if (kind_of(e) != 0) continue;
    u64 dst = destination_of(e), src = dst - 8, entropy = src;
    u64 ports = (17ull << 32) | ((0xC000 | entropy) << 16) | 4791;
    u64 hash = hash32(world.seed, Stream::ecmp, u64{16}, (src << 32) | dst, ports);
    EXPECT_EQ(e.port, 8 + ((hash * 4) >> 32));
  }
}

TEST(Oracle, ExplicitPathsAreFollowed) {
  World world = line(1, 1, 3);
  QpId qp = add_qp(world, 0, 1, {{4096, 0}});
  world.routing.policy = RoutingPolicy::explicit_paths;
  world.routing.path_first = {0, 2, 4};
  world.routing.hops = {{2, 3}, {3, 0}, {3, 2}, {2, 0}};  // there by the third cable, back by the second
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.traffic.qps[qp].data_path = 0;
  world.traffic.qps[qp].control_path = 1;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(events_of(outcome, EventKind::depart, 2)[0].port, 3);
  EXPECT_EQ(events_of(outcome, EventKind::depart, 3)[1].port, 2);
}

TEST(Oracle, APauseTakesEffectAfterItsFrame) {
  World world = star(3);
  world.fabric.ingress[0] = {false, 20'000, 10'000, 1'000'000, 0};
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{100 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.pauses, outcome.totals.resumes);
  EXPECT_EQ(outcome.totals.drops[1], 0u);
  auto pauses = events_of(outcome, EventKind::pause, 3);
  auto resumes = events_of(outcome, EventKind::resume, 3);
  ASSERT_GE(pauses.size(), 2u);
  EXPECT_EQ(pauses[0].time_ps % (1 << 15), 0);
  const TimePs frame_time = 84 * 20 + kTinyPhi;  // the reverse link is silent: no ACK before the end
  for (EndpointId e = 0; e < 2; ++e) {
    auto sent = data_departures(outcome, e, 0);
    auto pause = std::find_if(pauses.begin(), pauses.end(), [&](const Event& p) { return p.port == e; });
    auto resume = std::find_if(resumes.begin(), resumes.end(), [&](const Event& r) { return r.port == e; });
    TimePs stop = pause->time_ps + frame_time, go = resume->time_ps + frame_time;
    auto after = std::find_if(sent.begin(), sent.end(), [&](const Event& d) { return d.time_ps >= stop; });
    ASSERT_NE(after, sent.end());
    EXPECT_EQ(after->time_ps, go);
    EXPECT_GE((after - 1)->time_ps + kSer, stop);  // busy until the pause took effect
  }
}

TEST(Oracle, DynamicThresholdsShrinkWithThePool) {
  World world = star(3);
  world.fabric.ingress[0] = {true, 0, 0, 1'000'000, 1 << 13};  // alpha 1/8
  world.fabric.pools = {{3, 400'000, 10'000'000}};
  for (Link& link : world.fabric.links) link.pool = link.dst == 3 ? 0 : kNone;
  for (Link& link : world.fabric.links) link.ingress = link.dst == 3 ? 0 : kNone;
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{100 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(outcome.totals.pauses, 0u);
  EXPECT_EQ(outcome.totals.drops[1] + outcome.totals.drops[2], 0u);
  world.fabric.pools[0].limit_bytes = 60'000;
  outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);  // go-back-N repairs what the pool could not hold
  EXPECT_GT(outcome.totals.drops[2], 0u);
}

TEST(Oracle, AboveKmaxEveryPacketIsMarked) {
  World world = star(2);
  world.fabric.ecn = {{0, 4000, 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;
  add_qp(world, 0, 1, {{10 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.totals.marks, 10u);  // at the switch; a NIC's own egress never marks
  EXPECT_EQ(outcome.messages[0].ecn_marks, 10u);
  EXPECT_EQ(outcome.totals.cnps, 0u);
  world.fabric.ecn[0] = {4194, 10'000, 0xffffffff};  // one frame is not above Kmin
  EXPECT_EQ(simulate(world, {}).totals.marks, 0u);
}

TEST(Oracle, CnpsKeepTheirGap) {
  World world = star(2);
  world.fabric.ecn = {{0, 1, 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;
  world.dcqcn.enabled = true;
  add_qp(world, 0, 1, {{1000 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto cnps = events_of(outcome, EventKind::cnp, 1);
  ASSERT_GE(cnps.size(), 3u);
  for (std::size_t i = 1; i < cnps.size(); ++i) EXPECT_GE(cnps[i].time_ps - cnps[i - 1].time_ps, 4'000'000);
  EXPECT_EQ(outcome.messages[0].cnps, cnps.size());
  TimePs at_line_rate = 1000 * kSerNext;
  EXPECT_GT(outcome.messages[0].received_ps, 2 * at_line_rate);  // it slowed down
}

TEST(Oracle, ANakRewindsAfterADrop) {
  World world = star(3);
  world.fabric.classes[1].limit_bytes = 3 * 4194;
  for (EndpointId e = 0; e < 2; ++e) add_qp(world, e, 2, {{20 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
  EXPECT_EQ(outcome.totals.data_packets_received, 40u);
  ASSERT_GT(outcome.totals.drops[0], 0u);
  u32 retransmitted = outcome.messages[0].retransmitted_packets + outcome.messages[1].retransmitted_packets;
  EXPECT_EQ(outcome.totals.retransmits, retransmitted);
  EXPECT_GE(retransmitted, outcome.totals.drops[0]);
  // The first packet that its sender repeats is the first that was dropped of that sender.
  auto drop = events_of(outcome, EventKind::drop, 3)[0];
  EXPECT_EQ(drop.port, 2);
  for (EndpointId e = 0; e < 2; ++e) {
    auto repeated = events_of(outcome, EventKind::retransmit, e);
    bool same = !repeated.empty() && ((repeated[0].value >> 28) & 0xffff) == ((drop.value >> 28) & 0xffff);
    if (same) {
      EXPECT_EQ(repeated[0].value, drop.value);
    }
  }
}

TEST(Oracle, ALostTailIsRepeatedAfterTheTimeout) {
  World world = star(3);
  world.fabric.classes[1].limit_bytes = 4194;
  for (EndpointId e = 0; e < 3; ++e) {
    if (e < 2) add_qp(world, e, 2, {{4096, 0}});
  }
  // A third packet starts the egress, so that one of two simultaneous ones waits. Both at once: one starts at once.
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.drops[0], 1u);
  EXPECT_EQ(outcome.totals.timeouts, 1u);
  EXPECT_EQ(outcome.totals.retransmits, 1u);
  TimePs slowest = std::max(outcome.messages[0].received_ps, outcome.messages[1].received_ps);
  EXPECT_EQ(slowest, world.roce.rto_ps + 2 * (kSer + kTinyLambda));
}

TEST(Oracle, AQpFailsWhenItsTriesAreUsedUp) {
  World world = star(2);
  world.fabric.classes[1].limit_bytes = 100;  // nothing passes
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
  world.fabric.classes[2].limit_bytes = 100;  // nothing of this class passes
  world.roce.rto_ps = 5'000'000;
  world.roce.rto_tries = 1;
  QpId lost = add_qp(world, 0, 2, {{4096, 0}});
  add_qp(world, 1, 2, {{5000 * 4096, 0}});
  world.traffic.qps[lost].traffic_class = 2;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::qp_failed);
  const TimePs end_ps = 8 * world.clocks.epoch_ps;
  EXPECT_EQ(outcome.end_ps, end_ps);
  EXPECT_EQ(data_departures(outcome, 0, 0).size(), 2u);  // once, and once more after its only timeout
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

TEST(Oracle, TheWindowWaitsForAcknowledgements) {
  World world = star(2);
  world.roce.window_packets = 2;
  world.roce.ack_every = 1;
  add_qp(world, 0, 1, {{3 * 4096, 0}});
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[1].time_ps, kSer);
  EXPECT_EQ(sent[2].time_ps, 2 * (kSer + kTinyLambda) + 2 * kAckTime);
}

// PSNs have 24 bits: half of their space may be outstanding, and then the sender waits whatever the configuration.
TEST(Oracle, TheWindowEndsAtHalfOfThePsnSpace) {
  World world = star(2);
  world.roce.mtu_bytes = 64;
  const u64 window = (u64{1} << 23) - 1;
  add_qp(world, 0, 1, {});
  Sender sender(world, 0, kTinySpeed);
  sender.append(64 * (window + 2), 0, 0);
  for (u64 psn = 0; psn < window; ++psn) {
    ASSERT_EQ(sender.ready_at(), 0) << psn;
    sender.start(0);
  }
  EXPECT_EQ(sender.ready_at(), kNever);
  Packet ack;
  ack.kind = PacketKind::ack;
  ack.psn = static_cast<u32>(window);  // all that was sent, the farthest that an answer can lie from una
  sender.acknowledge(ack, 0);
  EXPECT_EQ(sender.ready_at(), 0);
  sender.start(0);
  sender.start(0);
  EXPECT_EQ(sender.ready_at(), kNever) << "all is sent";
  ack.psn = static_cast<u32>(window + 2);
  EXPECT_EQ(sender.acknowledge(ack, 0).size(), 1u);
}

TEST(Oracle, ASlowReceiverPausesItsSwitch) {
  World world = star(2);
  world.fabric.ingress.push_back({false, 120'000, 80'000, 1'000'000, 0});
  world.fabric.links[world.fabric.nodes[2].first_link + 1].ingress = 1;
  world.traffic.slow_receivers = {{1, 80u << 16}};  // a quarter of the line
  add_qp(world, 0, 1, {{200 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_GT(events_of(outcome, EventKind::pause, 1).size(), 1u);
  EXPECT_EQ(outcome.totals.drops[1], 0u);
  world.roce.ack_at_drain = true;
  Outcome drained = simulate(world, {});
  TimePs drain_all =  // it never runs empty: XON is more than what drains until a resume has brought more
      ser_ps(4178, 80u << 16) * 199 + ser_ps(4194, 80u << 16);
  EXPECT_EQ(drained.messages[0].received_ps, 2 * (kSer + kTinyLambda) + drain_all);
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
