// An endpoint of the oracle by hand: queue pairs in turn, CNPs, NAKs, timeouts, the window, a slow receiver.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/units.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/sender.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

TEST(OracleEndpoint, TwoQpsOfANicAlternate) {
  World world = star(3);
  add_qp(world, 0, 1, {{4 * 4096, 0}});
  add_qp(world, 0, 2, {{4 * 4096, 0}});
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  ASSERT_EQ(sent.size(), 8u);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(destination_of(sent[i]), i % 2 == 0 ? 1u : 2u);
}

TEST(OracleEndpoint, CnpsKeepTheirGap) {
  World world = star(2);
  world.fabric.ecn = {{0, 1, 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;
  world.congestion.control = DcqcnSettings{};
  add_qp(world, 0, 1, {{1000 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  auto cnps = events_of(outcome, EventKind::cnp, 1);
  ASSERT_GE(cnps.size(), 3u);
  for (std::size_t i = 1; i < cnps.size(); ++i) EXPECT_GE(cnps[i].time_ps - cnps[i - 1].time_ps, 4'000'000);
  EXPECT_EQ(outcome.messages[0].cnps, cnps.size());
  TimePs at_line_rate = 1000 * kSerNext;
  EXPECT_GT(outcome.messages[0].received_ps, 2 * at_line_rate);  // it slowed down
}

TEST(OracleEndpoint, ANakRewindsAfterADrop) {
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
  // The first packet that a sender retransmits is the first dropped packet of that sender.
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

TEST(OracleEndpoint, ALostTailIsRepeatedAfterTheTimeout) {
  World world = star(3);
  world.fabric.classes[1].limit_bytes = 4194;
  for (EndpointId e = 0; e < 3; ++e) {
    if (e < 2) add_qp(world, e, 2, {{4096, 0}});
  }
  // Both packets arrive at one instant, before either starts, and the queue has room for one.
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.drops[0], 1u);
  EXPECT_EQ(outcome.totals.timeouts, 1u);
  EXPECT_EQ(outcome.totals.retransmits, 1u);
  TimePs slowest = std::max(outcome.messages[0].received_ps, outcome.messages[1].received_ps);
  EXPECT_EQ(slowest, world.roce.rto_ps + 2 * (kSer + kTinyLambda));
}

TEST(OracleEndpoint, TheWindowWaitsForAcknowledgements) {
  World world = star(2);
  world.roce.window_packets = 2;
  world.roce.ack_every = 1;
  add_qp(world, 0, 1, {{3 * 4096, 0}});
  auto sent = data_departures(simulate(world, {false, kAllKinds}), 0, 0);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[1].time_ps, kSer);
  EXPECT_EQ(sent[2].time_ps, 2 * (kSer + kTinyLambda) + 2 * kAckTime);
}

// PSNs have 24 bits: at most half of their space may be outstanding, whatever the configured window.
TEST(OracleEndpoint, TheWindowEndsAtHalfOfThePsnSpace) {
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
  ack.psn = static_cast<u32>(window);  // acknowledges all that was sent: the farthest that an answer can be from una
  sender.acknowledge(ack, 0);
  EXPECT_EQ(sender.ready_at(), 0);
  sender.start(0);
  sender.start(0);
  EXPECT_EQ(sender.ready_at(), kNever) << "all is sent";
  ack.psn = static_cast<u32>(window + 2);
  EXPECT_EQ(sender.acknowledge(ack, 0).size(), 1u);
}

TEST(OracleEndpoint, ASlowReceiverPausesItsSwitch) {
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
  TimePs drain_all =  // the buffer never runs empty: XON is more than drains until packets arrive after a resume
      ser_ps(4178, 80u << 16) * 199 + ser_ps(4194, 80u << 16);
  EXPECT_EQ(drained.messages[0].received_ps, 2 * (kSer + kTinyLambda) + drain_all);
}

}  // namespace
}  // namespace heddle::oracle
