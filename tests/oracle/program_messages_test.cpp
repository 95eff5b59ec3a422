// Messages that programs post, and wait for, against times worked out by hand (MODEL.md, 9.14).
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_program.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

// In a star, of a full packet that starts at s and of a message that ends with it:
//   at the switch   s + 4214 B * 20 ps + 700'000 = s + 784'280
//   received        s + 2 * 784'280              = s + 1'568'560
//   acknowledged    received + 2 * (106 B * 20 ps + 700'000) = s + 1'568'560 + 1'404'240 = s + 2'972'800
constexpr TimePs kReceived = 1'568'560, kAcked = 2'972'800;
static_assert(kReceived == 2 * (kSer + kTinyLambda) && kAcked == kReceived + 2 * kAckTime);
constexpr TimePs kHandover = 600'000;  // the tick is 524'288
constexpr u8 kStorage = static_cast<u8>(Group::storage);

Op compute(TimePs ps) { return {OpKind::compute, kNoGroup, 0, 0, ps}; }
Op wait_for(u16 stream, u32 n, u8 group) { return {OpKind::wait, group, stream, n, 0}; }
Op post(u32 every = 0) { return {OpKind::post, kNoGroup, 0, every, 0}; }
Op written(u32 every = 0) { return {OpKind::written, kNoGroup, 0, every, 0}; }

/// A star in which GPU 0 runs these streams and `helper` sends its messages.
World with_program(u32 endpoints, EndpointId helper, const std::vector<std::vector<Op>>& streams, u32 iterations) {
  World world = star(endpoints);
  set_program(world, streams, iterations);
  world.programs.runs = {{0, 0, 0, 0, helper, 0, 0}};
  world.programs.handover_ps = kHandover;
  return world;
}

/// Adds a batch to the last run: messages to post, and messages to await.
void add_batch(World& world, const std::vector<MessageId>& posted, const std::vector<AwaitedMessage>& awaited) {
  ProgramPlan& programs = world.programs;
  programs.batches.push_back({static_cast<u32>(programs.posted.size()), static_cast<u32>(posted.size()),
                              static_cast<u32>(programs.awaited.size()), static_cast<u32>(awaited.size())});
  programs.posted.insert(programs.posted.end(), posted.begin(), posted.end());
  programs.awaited.insert(programs.awaited.end(), awaited.begin(), awaited.end());
  for (MessageId m : posted) world.traffic.messages[m].waits_for = 1;
  ++programs.runs.back().batches;
}

/// GPU 0 computes, then posts a message of one packet to endpoint 2.
World one_message(EndpointId helper) {
  World world = with_program(3, helper, {{compute(5'000'000), post()}}, 1);
  world.roce.posting_delay_ps = 3'000;
  add_qp(world, helper, 2, {{4096, 7'000}});
  add_batch(world, {0}, {{0, false}});
  return world;
}

TEST(OracleProgramMessages, AMessageIsPostedAfterTheHandover) {
  const Outcome outcome = simulate(one_message(0), {false, kAllKinds});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 5'000'000) << "a post is done at once";
  const MessageOutcome& m = outcome.messages[0];
  EXPECT_EQ(m.posted_ps, 5'607'000) << "5'000'000 + handover + post_ps";
  EXPECT_EQ(m.start_ps, 5'610'000) << "and the posting delay";
  EXPECT_EQ(m.received_ps, 7'178'560);
  EXPECT_EQ(m.acked_ps, 8'582'800);
  EXPECT_EQ(outcome.end_ps, 8'582'800);
  EXPECT_EQ(data_departures(outcome, 0, 0).size(), 1u);
}

TEST(OracleProgramMessages, AHelperSendsFromItsOwnNic) {
  const Outcome outcome = simulate(one_message(1), {false, kAllKinds});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[0].posted_ps, 5'607'000);
  EXPECT_EQ(outcome.messages[0].acked_ps, 8'582'800);
  EXPECT_TRUE(data_departures(outcome, 0, 0).empty());
  ASSERT_EQ(data_departures(outcome, 1, 0).size(), 1u);
  EXPECT_EQ(data_departures(outcome, 1, 0)[0].time_ps, 5'610'000);
}

/// Posted at 0, taken at 600'000, acknowledged at 3'572'800, known at 4'172'800: that is when the next iteration
/// begins.
TEST(OracleProgramMessages, WrittenWaitsForTheAcknowledgementAndTheWayBack) {
  for (const EndpointId helper : {0u, 1u}) {
    World world = with_program(3, helper, {{wait_for(1, 2, kStorage)}, {post(), written()}}, 2);
    add_qp(world, helper, 2, {{4096, 0}, {4096, 0}});
    add_batch(world, {0}, {{0, false}});
    add_batch(world, {1}, {{1, false}});
    const Outcome outcome = simulate(world, {});
    ASSERT_EQ(outcome.reason, EndReason::complete);
    EXPECT_EQ(outcome.messages[0].acked_ps, 3'572'800);
    EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'172'800);
    EXPECT_EQ(outcome.messages[1].posted_ps, 4'772'800);
    EXPECT_EQ(outcome.messages[1].acked_ps, 7'745'600);
    EXPECT_EQ(outcome.iterations[1].last_end_ps, 8'345'600);
    EXPECT_EQ(outcome.end_ps, 8'345'600);
    EXPECT_EQ(outcome.iterations[1].max_waited_ps[kStorage], 4'172'800) << "a wait may name the group of storage";
  }
}

/// Batch 0 (three packets to endpoint 1) is taken at 600'000, batch 1 (a packet to endpoint 2) at 700'000, while the
/// second packet is being sent. The queue pairs take turns, so the packets of endpoint 0 start at
///   600'000   first of message 0, 84'280
///   684'280   second, 83'960
///   768'240   message 1, 84'280: acknowledged at 768'240 + 2'972'800 = 3'741'040, known at 4'341'040
///   852'520   third: at the switch at 936'480 + 700'000, received at 1'636'480 + 783'960 = 2'420'440,
///             acknowledged at 2'420'440 + 1'404'240 = 3'824'680, known at 4'424'680.
TEST(OracleProgramMessages, WrittenWaitsForAllBatchesInFlight) {
  World world = with_program(3, 0, {{post(), compute(100'000), post(), written(), compute(1'000)}}, 1);
  add_qp(world, 0, 1, {{3 * 4096, 0}});
  add_qp(world, 0, 2, {{4096, 0}});
  add_batch(world, {0}, {{0, false}});
  add_batch(world, {1}, {{1, false}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[0].posted_ps, 600'000);
  EXPECT_EQ(outcome.messages[1].posted_ps, 700'000);
  EXPECT_EQ(outcome.messages[1].start_ps, 768'240);
  EXPECT_EQ(outcome.messages[1].acked_ps, 3'741'040);
  EXPECT_EQ(outcome.messages[0].acked_ps, 3'824'680);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'425'680) << "written is done at 4'424'680";
}

/// Both batches are handed over at 0 and taken at 600'000. Their messages share a queue pair, in order; the second
/// one's packet starts at 600'000 + 84'280, so it is acknowledged at 684'280 + 2'972'800 = 3'657'080 and known at
/// 4'257'080.
TEST(OracleProgramMessages, BatchesOfOneInstantKeepTheirOrder) {
  World world = with_program(2, 0, {{post(), post(), written()}}, 1);
  add_qp(world, 0, 1, {{4096, 0}, {4096, 0}});
  add_batch(world, {0}, {{0, false}});
  add_batch(world, {1}, {{1, false}});
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.messages[0].start_ps, 600'000);
  EXPECT_EQ(outcome.messages[1].posted_ps, 600'000);
  EXPECT_EQ(outcome.messages[1].start_ps, 684'280);
  EXPECT_EQ(outcome.messages[1].acked_ps, 3'657'080);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'257'080);
}

/// Messages of a batch are posted by their own post_ps: the second one's 50'000 keeps it until 650'000, and then it
/// waits for the first to leave; the third one's 200'000 keeps it until 800'000. The first alone is awaited: it is
/// acknowledged at 3'572'800. The third is at 800'000 + 2'972'800.
TEST(OracleProgramMessages, ABatchAwaitsWhatItNamesAlone) {
  World world = with_program(2, 0, {{post(), written()}}, 1);
  add_qp(world, 0, 1, {{4096, 0}, {4096, 50'000}, {4096, 200'000}});
  add_batch(world, {0, 1, 2}, {{0, false}});
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.messages[1].posted_ps, 650'000);
  EXPECT_EQ(outcome.messages[1].start_ps, 684'280);
  EXPECT_EQ(outcome.messages[2].posted_ps, 800'000);
  EXPECT_EQ(outcome.messages[2].start_ps, 800'000);
  EXPECT_EQ(outcome.messages[2].acked_ps, 3'772'800);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'172'800) << "3'572'800 and the way back";
  EXPECT_EQ(outcome.end_ps, 4'172'800);
}

/// Of four iterations the second and the fourth post, and wait; a computation and a delay of every second one precede:
///   0           1'000'000
///   1'000'000   computes until 2'000'000, is delayed until 2'500'000, then posts and waits 4'172'800 until 6'672'800
///   6'672'800   computes until 7'672'800
///   7'672'800   computes until 8'672'800, is delayed until 9'172'800, posts, and waits until 13'345'600.
TEST(OracleProgramMessages, EverySecondIterationPosts) {
  const Op delay{OpKind::delay, kStorage, 0, 2, 500'000};
  World world = with_program(2, 0, {{compute(1'000'000), delay, post(2), written(2)}}, 4);
  add_qp(world, 0, 1, {{4096, 0}, {4096, 0}});
  add_batch(world, {0}, {{0, false}});
  add_batch(world, {1}, {{1, false}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 1'000'000);
  EXPECT_EQ(outcome.messages[0].posted_ps, 3'100'000);
  EXPECT_EQ(outcome.iterations[1].last_end_ps, 6'672'800);
  EXPECT_EQ(outcome.iterations[2].last_end_ps, 7'672'800);
  EXPECT_EQ(outcome.messages[1].posted_ps, 9'772'800);
  EXPECT_EQ(outcome.iterations[3].last_end_ps, 13'345'600);
}

/// Every iteration posts, and every second one waits for what the two have posted.
///   0           posts, ends at 1'000'000; message 0 is posted at 600'000 and acknowledged at 3'572'800
///   1'000'000   posts, computes until 2'000'000; message 1 is posted at 1'600'000 and acknowledged at 4'572'800
///               the GPU knows at 5'172'800.
TEST(OracleProgramMessages, EverySecondIterationWaits) {
  World world = with_program(2, 0, {{post(), compute(1'000'000), written(2)}}, 2);
  add_qp(world, 0, 1, {{4096, 0}, {4096, 0}});
  add_batch(world, {0}, {{0, false}});
  add_batch(world, {1}, {{1, false}});
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 1'000'000);
  EXPECT_EQ(outcome.messages[1].acked_ps, 4'572'800);
  EXPECT_EQ(outcome.iterations[1].last_end_ps, 5'172'800);
}

/// An empty batch ends when the helper takes it: there and back are two handovers.
TEST(OracleProgramMessages, AnEmptyBatchGoesThereAndBack) {
  World world = with_program(2, 1, {{written(), post(), written()}}, 1);
  add_batch(world, {}, {});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 1'200'000) << "nothing was handed over before the first written";
  EXPECT_EQ(outcome.end_ps, 1'200'000);
}

/// The helper of GPU 0, endpoint 1, asks endpoint 2, which is storage. The request of 64 B is 182 B on the wire. The
/// answer, a packet, is no message of a batch: storage posts it 50'000 after it has received the request (8.9).
World request_and_answer(const std::vector<Op>& stream) {
  World world = with_program(3, 1, {stream}, 1);
  add_qp(world, 1, 2, {{64, 0}});
  add_qp(world, 2, 1, {{4096, 50'000}});
  world.traffic.messages[1].waits_for = 1;
  world.traffic.waits = {{0, true, 1}};
  return world;
}

/// Taken at 600'000, the request is received at 600'000 + 2 * (3'640 + 700'000) = 2'007'280, so the answer is posted at
/// 2'057'280 and received at 3'625'840, which the GPU knows at 4'225'840. The request was acknowledged at 3'411'520;
/// the answer is at 5'030'080, which nobody waits for.
TEST(OracleProgramMessages, ABatchAwaitsAMessageThatItsHelperReceives) {
  World world = request_and_answer({post(), written()});
  add_batch(world, {0}, {{1, true}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[0].posted_ps, 600'000);
  EXPECT_EQ(outcome.messages[0].received_ps, 2'007'280);
  EXPECT_EQ(outcome.messages[0].acked_ps, 3'411'520);
  EXPECT_EQ(outcome.messages[1].posted_ps, 2'057'280);
  EXPECT_EQ(outcome.messages[1].received_ps, 3'625'840);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'225'840);
  EXPECT_EQ(outcome.messages[1].acked_ps, 5'030'080);
  EXPECT_EQ(outcome.end_ps, 5'030'080);
}

/// The second batch awaits what is done before the helper takes it, at 10'600'000: it ends there and then.
TEST(OracleProgramMessages, ABatchMayAwaitWhatIsDone) {
  World world = request_and_answer({post(), compute(10'000'000), post(), written()});
  add_batch(world, {0}, {});
  add_batch(world, {}, {{0, false}, {1, true}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[1].received_ps, 3'625'840);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 11'200'000);
}

/// GPUs 0 and 1 share helper 2, which sends a packet for each from 600'000 and from 684'280 on. The GPUs know of their
/// own batch alone: 600'000 + 2'972'800 + 600'000 = 4'172'800, and 4'257'080.
TEST(OracleProgramMessages, TwoGpusShareAHelper) {
  World world = with_program(4, 2, {{post(), written()}}, 1);
  add_qp(world, 2, 3, {{4096, 0}});
  add_qp(world, 2, 3, {{4096, 0}});
  add_batch(world, {0}, {{0, false}});
  world.programs.runs.push_back({1, 0, 0, 0, 2, 1, 0});
  add_batch(world, {1}, {{1, false}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[0].start_ps, 600'000);
  EXPECT_EQ(outcome.messages[1].start_ps, 684'280);
  EXPECT_EQ(outcome.iterations[0].first_end_ps, 4'172'800);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'257'080);
}

/// A checkpoint of ten packets and a load of one are handed over at once; they take turns, so the load's packet starts
/// at 684'280. The GPU knows of its end at 4'257'080, as above, long before the checkpoint is written.
TEST(OracleProgramMessages, OneSeriesDoesNotWaitForTheOther) {
  const Op post_load{OpKind::post, kNoGroup, 1, 0, 0}, load_there{OpKind::written, kNoGroup, 1, 0, 0};
  World world = with_program(3, 0, {{post()}, {post_load, load_there}}, 1);
  add_qp(world, 0, 2, {{10 * 4096, 0}});
  add_qp(world, 0, 1, {{4096, 0}});
  add_batch(world, {0}, {{0, false}});
  add_batch(world, {1}, {{1, false}});
  world.programs.runs[0].loads = 1;
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[1].start_ps, 684'280);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 4'257'080);
  EXPECT_GT(outcome.messages[0].acked_ps, 600'000 + 10 * kSer);
}

/// Message 1 could start at 0, but 0 stands before it and waits for 2, which is received at 1'000'000 + kReceived. Its
/// ACK leaves first, in 2'120.
TEST(OracleProgramMessages, AMessageHoldsBackTheNextOfItsQueuePair) {
  World world = star(3);
  add_qp(world, 0, 2, {{4096, 0}, {4096, 0}});
  add_qp(world, 1, 0, {{4096, 1'000'000}});
  world.traffic.messages[0].waits_for = 1;
  world.traffic.waits = {{2, true, 0}};
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.messages[0].posted_ps, 1'000'000 + kReceived);
  EXPECT_EQ(outcome.messages[0].start_ps, 1'000'000 + kReceived + 2'120);
  EXPECT_EQ(outcome.messages[1].start_ps, outcome.messages[0].start_ps + kSer);
}

/// The helper's cable damages whatever it carries until 5'000'000, so its packet is lost. It is sent again at the
/// timeout at 600'000 + 10'000'000, and acknowledged at 10'600'000 + 2'972'800.
TEST(OracleProgramMessages, WrittenWaitsForARetransmission) {
  World world = with_program(2, 0, {{post(), written()}}, 1);
  world.roce.rto_ps = 10'000'000;
  add_qp(world, 0, 1, {{4096, 0}});
  add_batch(world, {0}, {{0, false}});
  const LinkId link = world.fabric.nodes[0].first_link;
  LinkState loses = nominal_state(world.fabric.links[link]);
  loses.loss_q64 = ~u64{0};
  let_fail(world, {{100'000, link, loses}, {5'000'000, link, nominal_state(world.fabric.links[link])}});
  const Outcome outcome = simulate(world, {});
  ASSERT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.retransmits, 1u);
  EXPECT_EQ(outcome.messages[0].start_ps, 600'000);
  EXPECT_EQ(outcome.messages[0].acked_ps, 13'572'800);
  EXPECT_EQ(outcome.iterations[0].last_end_ps, 14'172'800);
}

/// The first batch awaits a message of the second, which would be handed over after it.
TEST(OracleProgramMessages, ABatchThatNeverEndsStallsTheRun) {
  World world = with_program(2, 0, {{post(), written(), post()}}, 1);
  add_qp(world, 0, 1, {{4096, 0}, {4096, 0}});
  add_batch(world, {0}, {{1, false}});
  add_batch(world, {1}, {});
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::stalled);
  EXPECT_EQ(outcome.messages[0].acked_ps, 3'572'800);
  EXPECT_EQ(outcome.messages[1].posted_ps, -1);
  EXPECT_EQ(outcome.iterations[0].gpus_ended, 0u);
}

TEST(OracleProgramMessages, WhatTheModelForbidsIsRefused) {
  // Endpoint 1 helps GPU 0 with two batches, each of a message to endpoint 2; the other direction carries an answer.
  World good = with_program(3, 1, {{post(), post(), written()}}, 1);
  add_qp(good, 1, 2, {{4096, 0}, {4096, 0}});
  add_qp(good, 1, 2, {{4096, 0}});
  add_qp(good, 2, 1, {{4096, 0}});
  add_batch(good, {0}, {{0, false}, {3, true}});
  add_batch(good, {1}, {{1, false}, {2, false}});
  EXPECT_EQ(simulate(good, {}).reason, EndReason::complete);
  const auto refused = [&](const std::function<void(World&)>& spoil) {
    World world = good;
    spoil(world);
    try {
      simulate(world, {});
    } catch (const std::invalid_argument& refusal) {
      return std::string(refusal.what());
    }
    return std::string("accepted");
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  std::string why = refused([](World& w) { w.programs.handover_ps = w.clocks.tick_ps - 1; });
  EXPECT_TRUE(contains(why, "below the tick")) << why;
  why = refused([](World& w) { w.programs.runs[0].helper = kNone; });
  EXPECT_TRUE(contains(why, "no helper")) << why;
  why = refused([](World& w) { w.programs.runs[0].helper = 3; });
  EXPECT_TRUE(contains(why, "no helper")) << why << ": 3 is the switch";
  why = refused([](World& w) { w.programs.runs[0].helper = 0; });
  EXPECT_TRUE(contains(why, "does not send")) << why;
  why = refused([](World& w) { w.programs.awaited[1].received = false; });
  EXPECT_TRUE(contains(why, "never knows: another endpoint sends it")) << why;
  why = refused([](World& w) { w.programs.awaited[0].received = true; });
  EXPECT_TRUE(contains(why, "never knows: another endpoint receives it")) << why;
  why = refused([](World& w) { w.traffic.messages[0].waits_for = 0; });
  EXPECT_TRUE(contains(why, "waits_for = 1")) << why;
  why = refused([](World& w) { w.traffic.waits = {{3, true, 0}}; });
  EXPECT_TRUE(contains(why, "waits for other messages")) << why;
  why = refused([](World& w) { w.programs.posted = {1, 0}; });
  EXPECT_TRUE(contains(why, "in another order")) << why;
  why = refused([](World& w) { w.programs.batches[1].posted = 0; });
  EXPECT_TRUE(contains(why, "would never be posted")) << why << ": message 1 is of no batch";
  why = refused([](World& w) { w.programs.posted[1] = 0; });
  EXPECT_TRUE(contains(why, "never be posted")) << why << ": message 0 is posted twice, 1 by nobody";
  why = refused([](World& w) {
    w.programs.tasks[0].iterations = 2;  // four posts
  });
  EXPECT_TRUE(contains(why, "2 batches and executes 4 posts")) << why;
  why = refused([](World& w) { w.programs.ops[1].n = 2; });
  EXPECT_TRUE(contains(why, "2 batches and executes 1 posts")) << why;
  why = refused([](World& w) { w.programs.batches.push_back({}); });
  EXPECT_TRUE(contains(why, "left over")) << why;
  why = refused([](World& w) {  // both GPUs post once, and share the queue pair
    w.programs.ops[1].n = 2;
    w.programs.runs = {{0, 0, 0, 0, 1, 0, 1}, {2, 0, 0, 0, 1, 1, 1}};
  });
  EXPECT_TRUE(contains(why, "of several runs")) << why;
  why = refused([](World& w) {
    w.programs.ops[1].n = 2;
    w.programs.runs = {{0, 0, 0, 0, 1, 1, 1}, {2, 0, 0, 0, 1, 0, 1}};
  });
  EXPECT_TRUE(contains(why, "do not follow")) << why;
}

}  // namespace
}  // namespace heddle::oracle
