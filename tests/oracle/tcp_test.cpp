// Runs with TCP by hand, to the picosecond (MODEL.md, 8.11): windows, a lost segment, timeouts, marks, idleness.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/tiny_tcp.hpp"

namespace heddle::oracle {
namespace {

using Times = std::vector<TimePs>;

Outcome run(const World& world) { return simulate(world, {false, kAllKinds}); }

TEST(Tcp, SlowStart) {
  World world = tcp_star(2, 4);
  add_tcp(world, 0, 1, {{8 * kSegmentBytes + 1, 0}});
  const Outcome outcome = run(world);
  // The initial window leaves at once. Segment n arrives at 1,440,000 + n * 20,000, and every second one causes an ACK.
  // ACK 2 arrives at 2,864,000: the window is 6, and segments 2 and 3 are on their way. ACK 4 at 2,904,000 makes it 8.
  EXPECT_EQ(starts_of(outcome, 0, PacketKind::data), (Starts{{0, 0},
                                                             {20'000, 1},
                                                             {40'000, 2},
                                                             {60'000, 3},
                                                             {2'864'000, 4},
                                                             {2'884'000, 5},
                                                             {2'904'000, 6},
                                                             {2'924'000, 7},
                                                             {2'944'000, 8}}));
  // Segment 8 has 101 B on the wire, 2,020 ps. It waits at the switch until segment 7 has left, which started there at
  // 2,924,000 + 720,000: it arrives at 3,664,000 + 2,020 + 700,000. It is the last of its message, so its ACK waits for
  // no other segment.
  EXPECT_EQ(outcome.messages[0].received_ps, 4'366'020);
  EXPECT_EQ(starts_of(outcome, 1, PacketKind::ack),
            (Starts{{1'460'000, 2}, {1'500'000, 4}, {4'324'000, 6}, {4'364'000, 8}, {4'366'020, 9}}));
  EXPECT_EQ(outcome.messages[0].acked_ps, 4'366'020 + kToSender);
  EXPECT_EQ(outcome.end_ps, outcome.messages[0].acked_ps);
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.data_packets_received, 9u);
  for (const Event& e : events_of(outcome, EventKind::depart, 1)) EXPECT_EQ(e.cls, 2) << "the class of the data";
}

TEST(Tcp, AnOddSegmentIsAcknowledgedAfterTheDelay) {
  World world = tcp_star(2, 1);
  add_tcp(world, 0, 1, {{3 * kSegmentBytes, 0}});
  const Outcome outcome = run(world);
  // The window closes after segment 0, which is neither the second nor the last. Its ACK makes the window 2.
  const TimePs opened = kRound + kAckDelay;
  EXPECT_EQ(starts_of(outcome, 0, PacketKind::data), (Starts{{0, 0}, {opened, 1}, {opened + kSegSer, 2}}));
  EXPECT_EQ(starts_of(outcome, 1, PacketKind::ack),
            (Starts{{kToReceiver + kAckDelay, 1}, {opened + kSegSer + kToReceiver, 3}}));
  EXPECT_EQ(outcome.messages[0].acked_ps, opened + kSegSer + kRound);
}

TEST(Tcp, ReceivedBytesCountSegments) {
  World world = tcp_star(2, 4);
  add_tcp(world, 0, 1, {{8 * kSegmentBytes + 1, 0}});
  world.clocks.horizon_ps = kToReceiver + 2 * kSegSer + 1;  // three segments have come
  EXPECT_EQ(run(world).messages[0].received_bytes, 3u * kSegmentBytes);
  world.clocks.horizon_ps = kNever;
  EXPECT_EQ(run(world).messages[0].received_bytes, 8u * kSegmentBytes + 1);
}

TEST(Tcp, OneLostSegmentIsRepairedByFastRecovery) {
  World world = tcp_star(2, 8);
  add_tcp(world, 0, 1, {{20 * kSegmentBytes, 0}});
  lose(world, 0, {40'000});  // segment 2
  const Outcome outcome = run(world);
  // ACK 2 comes at 2,864,000: the window is 10, 6 segments are on their way, 8 to 11 follow. SACKs 3 to 7 come from
  // 2,904,000 on, one every 20,000, and each takes a segment out of the pipe.
  // - 2,944,000, SACK 5, the third: segment 2 is lost, recover 12. Of 12 - 2 = 10 segments 3 are SACKed and one is
  // lost:
  //   ssthresh floor((10 - 3) / 2) = 3; pipe 6, more than that; room = ceil(1 * 3 / 10) = 1: segment 2 goes again.
  // - 2,964,000, SACK 6: pipe 6, room = ceil(2 * 3 / 10) - 1 = 0. 2,984,000, SACK 7: pipe 5, ceil(3 * 3 / 10) - 1 = 0.
  // - 2,864,000 + 2,844,000 = 5,708,000, SACK 8: pipe 4, ceil(4 * 3 / 10) - 1 = 1: segment 12.
  // - SACK 9: pipe 4, ceil(5 * 3 / 10) - 2 = 0. SACK 10: pipe 3 = ssthresh. 5,768,000, SACK 11: pipe 2: segment 13.
  // - ACK 12 at 2,944,000 + 2,844,000 = 5,788,000: recovery ends with a window of 3, and 12 and 13 are on their way:
  //   segment 14.
  // - ACK 14, for which segment 13 is the second, at 5,768,000 + 2,844,000 = 8,612,000: 2 of 3 count for the next
  //   window, and 14 is on its way: segments 15 and 16.
  // - ACK 16 for segments 14 and 15, at 8,612,000 + 2,844,000 = 11,456,000: 4 of 3, so the window is 4, and 16 is on
  // its
  //   way: segments 17, 18 and 19.
  EXPECT_EQ(
      starts_of(outcome, 0, PacketKind::data),
      (Starts{{0, 0},           {20'000, 1},      {40'000, 2},     {60'000, 3},     {80'000, 4},     {100'000, 5},
              {120'000, 6},     {140'000, 7},     {2'864'000, 8},  {2'884'000, 9},  {2'904'000, 10}, {2'924'000, 11},
              {2'944'000, 2},   {5'708'000, 12},  {5'768'000, 13}, {5'788'000, 14}, {8'612'000, 15}, {8'632'000, 16},
              {11'456'000, 17}, {11'476'000, 18}, {11'496'000, 19}}));
  EXPECT_EQ(starts_of(outcome, 1, PacketKind::nak), (Starts{{1'500'000, 3},
                                                            {1'520'000, 4},
                                                            {1'540'000, 5},
                                                            {1'560'000, 6},
                                                            {1'580'000, 7},
                                                            {4'304'000, 8},
                                                            {4'324'000, 9},
                                                            {4'344'000, 10},
                                                            {4'364'000, 11}}));
  EXPECT_EQ(
      starts_of(outcome, 1, PacketKind::ack),
      (Starts{{1'460'000, 2}, {4'384'000, 12}, {7'208'000, 14}, {10'052'000, 16}, {12'896'000, 18}, {12'936'000, 20}}));
  const std::vector<Event> again = events_of(outcome, EventKind::retransmit, 0);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].time_ps, 2'944'000);
  EXPECT_EQ(again[0].value & 0xffffff, 2u);
  EXPECT_EQ(outcome.messages[0].retransmitted_packets, 1u);
  EXPECT_EQ(outcome.messages[0].acked_ps, 12'936'000 + kToSender);
  EXPECT_EQ(outcome.totals.data_packets_out_of_order, 9u);
  EXPECT_EQ(outcome.totals.largest_reordering_packets, 9u);  // segment 11, of segment 2
  EXPECT_EQ(outcome.totals.data_packets_duplicate, 0u);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
}

TEST(Tcp, TimeoutsWaitTwiceAsLongEachTime) {
  World world = tcp_star(2, 4);
  world.tcp.rto_max_ps = 3 * kFirstRto;
  add_tcp(world, 0, 1, {{100, 0}});
  const TimePs first = kFirstRto, second = first + 2 * kFirstRto, third = second + 3 * kFirstRto;  // not 4
  lose(world, 0, {0, first, second});
  const Outcome outcome = run(world);
  EXPECT_EQ(times_of(events_of(outcome, EventKind::timeout, 0)), (Times{first, second, third}));
  EXPECT_EQ(times_of(events_of(outcome, EventKind::retransmit, 0)), (Times{first, second, third}));
  const TimePs short_way = 2 * (200 * 20 + kTinyLambda);  // a segment of 100 B
  EXPECT_EQ(outcome.messages[0].received_ps, third + short_way);
  EXPECT_EQ(outcome.messages[0].acked_ps, third + short_way + kToSender);
  EXPECT_EQ(outcome.messages[0].retransmitted_packets, 3u);
}

TEST(Tcp, ALostTailWaitsForTheTimeout) {
  World world = tcp_star(2, 4);
  add_tcp(world, 0, 1, {{4 * kSegmentBytes, 0}});
  lose(world, 0, {40'000, 60'000});  // segments 2 and 3
  const Outcome outcome = run(world);
  // ACK 2 comes at 20,000 + 2,844,000, which is the round trip of segment 0: srtt = 2,864,000, rttvar half of it, and
  // rto = srtt + max(1 ms, 4 rttvar) = srtt + 1 ms. The deadline counts from that ACK.
  const TimePs heard = kSegSer + kRound, timeout = heard + heard + kTcpGranularityPs;
  EXPECT_EQ(times_of(events_of(outcome, EventKind::timeout, 0)), (Times{timeout}));
  // The window is 1: segment 3 waits for the ACK of segment 2, which is delayed. That of segment 3, the last, is not.
  const TimePs next = timeout + kRound + kAckDelay;
  EXPECT_EQ(starts_of(outcome, 0, PacketKind::data),
            (Starts{{0, 0}, {20'000, 1}, {40'000, 2}, {60'000, 3}, {timeout, 2}, {next, 3}}));
  EXPECT_EQ(outcome.messages[0].acked_ps, next + kRound);
  EXPECT_EQ(outcome.totals.retransmits, 2u);
}

TEST(Tcp, FailsAfterItsRetries) {
  World world = tcp_star(2, 4);
  world.tcp.retries = 2;
  world.fabric.classes[2].limit_bytes = 100;  // no segment passes
  add_tcp(world, 0, 1, {{kSegmentBytes, 0}});
  const Outcome outcome = run(world);
  EXPECT_EQ(outcome.reason, EndReason::qp_failed);
  EXPECT_EQ(times_of(events_of(outcome, EventKind::timeout, 0)), (Times{kFirstRto, 3 * kFirstRto}));
  const TimePs failed = 7 * kFirstRto, epoch = world.clocks.epoch_ps;
  EXPECT_EQ(outcome.end_ps, (failed / epoch + 8) * epoch);
  EXPECT_EQ(starts_of(outcome, 0, PacketKind::data).size(), 3u);
  EXPECT_NE(outcome.explanation.find("2 timeouts"), std::string::npos) << outcome.explanation;
}

TEST(Tcp, AfterIdlenessTheWindowIsTheInitialOneAgain) {
  // Of 6 segments the first two leave at once, the others after ACK 2. The windows become 4 and, with ACK 4, 6. Both
  // round trips measured are 2,864,000, so the rto is that and 1 ms.
  const TimePs heard = kSegSer + kRound, last_start = heard + 3 * kSegSer;
  const TimePs soon = last_start + heard + kTcpGranularityPs;
  for (TimePs late : {0, 1}) {
    World world = tcp_star(2, 2);
    add_tcp(world, 0, 1, {{6 * kSegmentBytes, 0}, {6 * kSegmentBytes, soon + late}});
    Times starts;
    for (auto [t, psn] : starts_of(run(world), 0, PacketKind::data)) starts.push_back(t - soon - late);
    ASSERT_EQ(starts.size(), 12u);
    EXPECT_EQ(starts[5], last_start - soon - late);
    EXPECT_EQ(starts[7], 20'000);
    EXPECT_EQ(starts[8], late == 0 ? 40'000 : heard) << "more than the rto must have passed";
  }
}

TEST(Tcp, MarksOfDataComeBackWithAcks) {
  World world = tcp_star(2, 8);
  world.fabric.classes[2].ecn = true;
  world.fabric.ecn = {{0, 1, 0}};
  for (Link& link : world.fabric.links) link.ecn = 0;  // all data are marked
  add_tcp(world, 0, 1, {{14 * kSegmentBytes, 0}});
  const Outcome outcome = run(world);
  // All ACKs bear ECE, so nothing grows. ACK 2 at 2,864,000 halves the window to 4, until segment 8 is acknowledged.
  // ACK 4 leaves 4 segments on their way; ACK 6 at 2,944,000 and ACK 8 at 2,984,000 let two go each. ACK 10 comes a
  // round after segment 9: the window is 2, and 10 and 11 are on their way, until ACK 12 lets the last two go.
  const TimePs sixth = 100'000 + kRound, eighth = 140'000 + kRound, twelfth = eighth + kSegSer + kRound;
  EXPECT_EQ(starts_of(outcome, 0, PacketKind::data), (Starts{{0, 0},
                                                             {20'000, 1},
                                                             {40'000, 2},
                                                             {60'000, 3},
                                                             {80'000, 4},
                                                             {100'000, 5},
                                                             {120'000, 6},
                                                             {140'000, 7},
                                                             {sixth, 8},
                                                             {sixth + kSegSer, 9},
                                                             {eighth, 10},
                                                             {eighth + kSegSer, 11},
                                                             {twelfth, 12},
                                                             {twelfth + kSegSer, 13}}));
  EXPECT_EQ(outcome.totals.marks, 14u) << "ACKs are never marked";
  EXPECT_EQ(outcome.messages[0].ecn_marks, 14u);
  EXPECT_EQ(outcome.totals.cnps, 0u);
}

TEST(Tcp, RoceInAnotherClassIsAsEver) {
  World world = tcp_star(2, 4);
  world.tcp.control = TcpControl::dctcp;
  add_qp(world, 0, 1, {{4096, 0}});
  add_tcp(world, 1, 0, {{kSegmentBytes, 0}});
  const Outcome outcome = run(world);
  EXPECT_EQ(outcome.messages[0].received_ps, 2 * (kSer + kTinyLambda));
  EXPECT_EQ(outcome.messages[0].acked_ps, 2 * (kSer + kTinyLambda) + 2 * kAckTime);
  EXPECT_EQ(outcome.messages[1].acked_ps, kRound) << "the last segment of its message";
}

/// Two endpoints with two ports each, all at one switch.
World two_ports() {
  World world = tiny_fabric(2, 1, {{0, 2}, {0, 2}, {1, 2}, {1, 2}});
  const World small = tcp_star(2, 4);
  world.tcp = small.tcp;
  world.fabric.classes = small.fabric.classes;
  world.fabric.nic_ports = 2;
  world.routing = small.routing;
  world.routing.group_of.assign(4, 0);
  world.routing.attach_switch.assign(4, 2);
  world.routing.attach_port = {0, 1, 2, 3};
  return world;
}

TEST(Tcp, AConnectionKeepsToItsHomePort) {
  World world = two_ports();
  world.roce.port_choice = PortChoice::per_packet;
  world.tcp.initial_window_segments = 1;  // so that the ACK of segment 0 is delayed
  add_tcp(world, 0, 1, {});
  add_tcp(world, 0, 1, {{3 * kSegmentBytes, 0}});
  const Outcome outcome = run(world);
  EXPECT_EQ(outcome.reason, EndReason::complete);
  for (NodeId node : {0, 1}) {
    const std::vector<Event> sent = events_of(outcome, EventKind::depart, node);
    EXPECT_EQ(sent.size(), node == 0 ? 3u : 2u);
    for (const Event& e : sent) EXPECT_EQ(e.port, 1) << "the delayed ACK goes by the port of the last data";
  }
}

TEST(Tcp, WrongWorldsAreRefused) {
  World world = tcp_star(2, 4);
  add_tcp(world, 0, 1, {{1, 0}});
  world.tcp.window_segments = 100;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.tcp.window_segments = 64;
  world.tcp.segment_bytes = 0;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.tcp.segment_bytes = 1;
  world.tcp.ack_every_segments = 0;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  world.tcp.ack_every_segments = 1;
  EXPECT_EQ(simulate(world, {}).reason, EndReason::complete);
  world.fabric.classes[0].transport = Transport::tcp;
  EXPECT_THROW(simulate(world, {}), std::invalid_argument);
  World ring = ring_of_two(1, false, 1);
  ring.fabric.classes[kCollectiveClass].transport = Transport::tcp;
  EXPECT_THROW(simulate(ring, {}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::oracle
