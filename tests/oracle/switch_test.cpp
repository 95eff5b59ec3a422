// A switch of the oracle by hand: order of service and arrivals, routes, pauses, thresholds, marks.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/base/hash.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

TEST(OracleSwitch, WeightsShareALinkByBytes) {
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

TEST(OracleSwitch, SimultaneousArrivalsRankByRotatedPort) {
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

TEST(OracleSwitch, EcmpTakesTheHashedCable) {
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

TEST(OracleSwitch, ExplicitPathsAreFollowed) {
  World world = line(1, 1, 3);
  QpId qp = add_qp(world, 0, 1, {{4096, 0}});
  world.routing.policy.fill("explicit");
  world.routing.path_first = {0, 2, 4};
  world.routing.hops = {{2, 3}, {3, 0}, {3, 2}, {2, 0}};  // data takes the third cable, answers the second
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.traffic.qps[qp].data_path = 0;
  world.traffic.qps[qp].control_path = 1;
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(events_of(outcome, EventKind::depart, 2)[0].port, 3);
  EXPECT_EQ(events_of(outcome, EventKind::depart, 3)[1].port, 2);
}

TEST(OracleSwitch, APauseTakesEffectAfterItsFrame) {
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

TEST(OracleSwitch, DynamicThresholdsShrinkWithThePool) {
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
  EXPECT_EQ(outcome.reason, EndReason::complete);  // go-back-N repairs the drops of the pool
  EXPECT_GT(outcome.totals.drops[2], 0u);
}

TEST(OracleSwitch, AboveKmaxEveryPacketIsMarked) {
  World world = star(2);
  world.fabric.ecn = {{0, 4000, 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;
  add_qp(world, 0, 1, {{10 * 4096, 0}});
  Outcome outcome = simulate(world, {false, kAllKinds});
  EXPECT_EQ(outcome.totals.marks, 10u);  // marked at the switch; a NIC's own egress never marks
  EXPECT_EQ(outcome.messages[0].ecn_marks, 10u);
  EXPECT_EQ(outcome.totals.cnps, 0u);
  world.fabric.ecn[0] = {4194, 10'000, 0xffffffff};  // one frame is not above Kmin
  EXPECT_EQ(simulate(world, {}).totals.marks, 0u);
}

}  // namespace
}  // namespace heddle::oracle
