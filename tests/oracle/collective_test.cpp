// Collectives on tiny worlds against their closed forms, and the arithmetic of slices.
#include <gtest/gtest.h>

#include "kernels/base/units.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/oracle/slices.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

constexpr u32 kSlice = kTinySlice;
constexpr TimePs kProxy = 1'000'000;
constexpr TimePs kPost = 2'700'000, kFlush = 2'000'000;
constexpr TimePs kCopy = kSlice;  // at 1 ps per byte
constexpr TimePs kData = 2 * (TimePs{kTinyDataWire} * 20 + kTinyLambda);
constexpr TimePs kCts = 2 * (TimePs{182} * 20 + kTinyLambda);
constexpr TimePs kAck = 2 * (TimePs{106} * 20 + kTinyLambda);
constexpr TimePs kAnswer = TimePs{106} * 20;  // an answer to a CTS, on the first link

TEST(OracleCollective, OneSliceOverTheNetwork) {
  Outcome outcome = simulate(ring_of_two(1, false, 1), {});
  const CollectiveOutcome& c = outcome.collectives[0];
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(c.last_enter_ps, 0);
  EXPECT_EQ(c.ranks_finished, 2u);
  TimePs sent = kCopy + kPost + kProxy;
  EXPECT_GT(sent, kProxy + kCts + kAnswer) << "the CTS has come, and its answer has left";
  TimePs received = sent + kData;
  TimePs acknowledged = received + kAck + kProxy;
  TimePs copied = received + kProxy + kFlush + kCopy;
  EXPECT_LT(acknowledged, copied);
  EXPECT_EQ(c.first_finish_ps, copied);
  EXPECT_EQ(c.last_finish_ps, copied);
  EXPECT_EQ(outcome.end_ps, copied);
}

TEST(OracleCollective, ALaunchDelaysAllOfACollective) {
  World world = ring_of_two(3, false, 1);
  Outcome at_once = simulate(world, {});
  world.collectives.collectives[0].launch_latency_ps = 5'000'000;
  Outcome later = simulate(world, {});
  EXPECT_EQ(later.collectives[0].last_enter_ps, 0);
  EXPECT_EQ(later.collectives[0].last_finish_ps, at_once.collectives[0].last_finish_ps + 5'000'000);
}

TEST(OracleCollective, AChannelCopiesAtItsRateWhereThatIsLess) {
  World world = ring_of_two(1, false, 1);
  const auto finish = [&](u32 channel_ps_per_byte) {
    world.collectives.collectives[0].channel_ps_per_byte_q16 = channel_ps_per_byte << 16;
    return simulate(world, {}).collectives[0].last_finish_ps;
  };
  TimePs at_once = finish(0);
  EXPECT_EQ(finish(1), at_once) << "the GPU's rate";
  EXPECT_EQ(finish(3), at_once + 2 * 2 * kCopy) << "two copies of three times kCopy";
}

TEST(OracleCollective, AProxyPostsOneThingAfterTheOther) {
  World world = ring_of_two(1, false, 1);
  constexpr TimePs kService = 10'000'000;
  world.roce.proxy_service_ps = kService;
  TimePs sent = kProxy + kService;  // after the CTS of the other direction
  EXPECT_GT(sent, kCopy + kPost + kProxy);
  TimePs copied = sent + kData + kProxy + kFlush + kCopy;
  EXPECT_LT(copied, sent + kService) << "the notice of the ACK does not wait for the proxy";
  EXPECT_EQ(simulate(world, {}).collectives[0].last_finish_ps, copied);
}

TEST(OracleCollective, ASliceThatIsSeenBeforeItsCtsWaitsForIt) {
  World world = ring_of_two(1, false, 1);
  world.collectives.settings.post_latency_ps[0] = 0;
  world.collectives.settings.flush_latency_ps = 5'000'000;
  Outcome outcome = simulate(world, {});
  EXPECT_LT(kCopy + kProxy, kProxy + kCts);
  TimePs received = kProxy + kCts + kAnswer + kData;  // the answer to the CTS leaves before the data
  EXPECT_LT(kAck, 5'000'000);
  EXPECT_EQ(outcome.collectives[0].last_finish_ps, received + kProxy + 5'000'000 + kCopy);
}

TEST(OracleCollective, OneSliceOverNvlink) {
  World world = ring_of_two(1, true, 0);
  const CollectiveSettings& settings = world.collectives.settings;
  Outcome outcome = simulate(world, {});
  TimePs credit = settings.nvlink_latency_ps;
  TimePs sent = credit + kCopy;
  TimePs in =
      sent + settings.post_latency_ps[0] + settings.nvlink_latency_ps + ser_ps(kSlice, settings.nvlink_ps_per_byte_q16);
  EXPECT_EQ(outcome.collectives[0].last_finish_ps, in + kCopy);
  EXPECT_EQ(outcome.totals.packet_hops, 0u);
}

TEST(OracleCollective, SlotsLimitWhatIsInFlight) {
  World world = ring_of_two(40, false, 2);
  CollectivePlan& plan = world.collectives;
  plan.collectives[0].phases = 1;  // rank 0 sends, rank 1 receives
  plan.connections.resize(1);
  plan.channel_ends = {{0, kNone, 0, 0}, {1, 0, kNone, 0}};
  world.traffic.qps.resize(2);
  plan.jobs[0].groups[0].connections = 1;
  plan.collectives[0].slots = 2;
  plan.jobs[0].scaling = QpScaling::split;
  Outcome few = simulate(world, {});
  plan.collectives[0].slots = 40;
  Outcome many = simulate(world, {});
  EXPECT_EQ(few.reason, EndReason::complete);
  EXPECT_EQ(few.totals.data_packets_received, 2u * 40);
  TimePs half = TimePs{2048 + 102 + 16} * 20;                             // each QP carries half of the slice
  TimePs round_trip = kProxy + kCts + 2 * (half + kTinyLambda) + kProxy;  // grant to notice, at least
  EXPECT_GT(few.end_ps, 20 * round_trip);
  EXPECT_LT(many.end_ps, few.end_ps / 4);
}

TEST(OracleCollective, ARingThatFillsItsSlotsBeforeItReceivesStalls) {
  World world = ring_of_two(5, false, 1);  // two wait at the receiver, two in send slots: one too many
  world.collectives.collectives[0].slots = 2;
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::stalled);
  EXPECT_EQ(outcome.collectives[0].ranks_finished, 0u);
}

TEST(OracleCollective, TheNextCollectiveStartsWhenTheRankHasFinished) {
  World world = ring_of_two(3, false, 1);
  CollectivePlan& plan = world.collectives;
  plan.collectives.push_back(plan.collectives[0]);
  plan.collectives.push_back(plan.collectives[0]);
  plan.collectives[2].start_ps = 1'000'000'000;
  plan.jobs[0].collectives = {0, 1, 2};
  Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.collectives[1].first_enter_ps, outcome.collectives[0].first_finish_ps);
  EXPECT_EQ(outcome.collectives[2].first_enter_ps, 1'000'000'000);
  TimePs first = outcome.collectives[0].last_finish_ps;
  EXPECT_EQ(outcome.collectives[2].last_finish_ps, 1'000'000'000 + first);  // the earlier ones leave no state
}

TEST(OracleCollective, ThePointToPointWindowServesChannelEndsInTurn) {
  World world = star(3);
  CollectivePlan& plan = world.collectives;
  plan.schedules = {{8, 8, kSlice, 1, {0, 0}}};
  plan.collectives = {{0, CollectiveKind::gather, 2 * 8 * kSlice, 0, 1, 0, 8, 1}};
  for (u32 c = 0; c < 2; ++c) {
    QpId qp = add_qp(world, c, 2, {});
    world.traffic.qps[qp].connection = c;
    plan.connections.push_back({c, 2, 0, false, qp, 1, c, 2 + c});
    plan.channel_ends.push_back({c, kNone, c, 0});
  }
  for (u32 c = 0; c < 2; ++c) plan.channel_ends.push_back({2, c, kNone, c});
  Job job;
  job.ranks = {0, 1, 2};
  job.collectives = {0};
  job.groups = {{0, 4, 0, 2}};
  plan.jobs = {job};
  Outcome at_once = simulate(world, {});
  plan.jobs[0].groups[0].window = 1;
  Outcome one_by_one = simulate(world, {});
  EXPECT_EQ(one_by_one.reason, EndReason::complete);
  EXPECT_EQ(at_once.collectives[0].ranks_finished, 3u);
  TimePs second_grant =
      at_once.collectives[0].first_finish_ps - kAck - kProxy;  // not before the first channel end has finished
  EXPECT_GT(one_by_one.end_ps, second_grant + kProxy + kCts + kData);
}

TEST(OracleSlices, ARingChannelEndSendsEachSliceOnceInOrder) {
  CollectivePlan plan;
  plan.schedules = {{2 * 3 * 2 + 3, 12, 100, 1, {40, 0}}};  // 3 hops: two full loops of 2 slices, a tail loop of 1
  plan.collectives = {{0, CollectiveKind::all_reduce, 0, 0, 4, 0, 2, 1}};
  ChannelEnd channel_end{0, 0, 1, 0};
  const Collective& collective = plan.collectives[0];
  u64 sent = 0, received = 0;
  u64 total = operations(collective, channel_end, plan.schedules[0]);
  EXPECT_EQ(total, 2u * 4 * 2 + 4);
  for (u64 k = 0; k < total; ++k) {
    Operation op = operation(plan, collective, channel_end, k);
    EXPECT_TRUE(!op.sends || op.send_index == sent);
    EXPECT_TRUE(!op.receives || op.recv_index == received);
    sent += op.sends;
    received += op.receives;
    if (op.sends && op.receives) {
      EXPECT_EQ(slice_bytes(plan.schedules[0], op.send_index), slice_bytes(plan.schedules[0], op.recv_index));
    }
  }
  EXPECT_EQ(sent, plan.schedules[0].total);
  EXPECT_EQ(received, plan.schedules[0].total);
}

TEST(OracleSlices, SplitPartsAreMultiplesOf128ButTheLast) {
  auto parts = parts_of_slice(QpScaling::split, 4, 0, 1000);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].bytes, 256u);
  EXPECT_EQ(parts[3].bytes, 232u);
  EXPECT_EQ(parts_of_slice(QpScaling::split, 4, 0, 200).size(), 4u);
  EXPECT_EQ(parts_of_slice(QpScaling::split, 4, 0, 200)[2].bytes, 0u) << "a message without payload";
  EXPECT_EQ(parts_of_slice(QpScaling::round_robin, 4, 6, 1000)[0].qp, 2u);
}

}  // namespace
}  // namespace heddle::oracle
