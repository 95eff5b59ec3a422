// The sending end of TCP by hand (MODEL.md, 8.11): the window at every answer, and what is sent.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/oracle/tcp_sending.hpp"

namespace heddle::oracle {
namespace {

TEST_F(TcpSending, SlowStartGrowsByWhatIsAcknowledged) {
  begin(4);
  EXPECT_EQ(send(), (Psns{0, 1, 2, 3}));
  ack(2);
  EXPECT_EQ(sender->cwnd(), 6u);
  EXPECT_EQ(send(), (Psns{4, 5, 6, 7}));
  ack(2);
  EXPECT_EQ(sender->cwnd(), 6u) << "nothing new";
  ack(8);
  EXPECT_EQ(sender->cwnd(), 12u);
}

TEST_F(TcpSending, GrowthOfAnAckMayBeLimited) {
  const std::vector<std::pair<u32, u64>> windows = {{0, 8}, {1, 5}, {2, 6}};  // 4 and all, one or two of 4 segments
  for (auto [limit, window] : windows) {
    begin(4);
    world.tcp.growth_limit_segments = limit;
    send();
    ack(4);
    EXPECT_EQ(sender->cwnd(), window) << limit;
  }
}

TEST_F(TcpSending, WithALimitOfOneAcksAreCounted) {
  begin(4);
  world.tcp.growth_limit_segments = 1;
  send();
  ack(4);
  EXPECT_EQ(send(), (Psns{4, 5, 6, 7, 8})) << "the window is 5";
  marked_ack(5);
  EXPECT_EQ(sender->cwnd(), 2u) << "and the threshold: congestion avoidance from here on";
  ack(7);
  EXPECT_EQ(sender->cwnd(), 2u) << "the first of 2; the two segments would make it 3";
  ack(9);
  EXPECT_EQ(sender->cwnd(), 3u) << "the second";
}

TEST_F(TcpSending, SegmentsThatSacksNamedDoNotGrowTheWindowAgain) {
  begin(4);
  send();
  sack(1);
  sack(2);
  ack(3);
  EXPECT_EQ(sender->cwnd(), 5u) << "una advances by 3 segments, of which only segment 0 was not SACKed";
}

TEST_F(TcpSending, AWindowThatIsNotUsedDoesNotGrow) {
  begin(10);
  for (u32 i = 0; i < 4; ++i) sender->start(0);
  ack(2);
  EXPECT_EQ(sender->cwnd(), 10u) << "2 * 4 is less than 10";
  for (u32 i = 0; i < 3; ++i) sender->start(0);
  ack(3);
  EXPECT_EQ(sender->cwnd(), 11u) << "2 * 5 is not";
}

TEST_F(TcpSending, NoMoreIsOnItsWayThanTheReceiverKeepsTrackOf) {
  begin(64);
  world.tcp.window_segments = 64;
  EXPECT_EQ(send().size(), 64u);
  sack(1);
  EXPECT_EQ(sender->pipe(), 63u);
  EXPECT_EQ(sender->ready_at(), kNever) << "the window of the receiver is closed";
  ack(2);
  EXPECT_EQ(sender->cwnd(), 64u) << "at most the window of the receiver";
  EXPECT_EQ(send(), (Psns{64, 65}));
}

// As OneLostSegmentIsRepairedByFastRecovery in tcp_test.cpp, step by step.
TEST_F(TcpSending, ProportionalRateReduction) {
  begin(8);
  EXPECT_EQ(send().size(), 8u);
  ack(2);
  EXPECT_EQ(send(), (Psns{8, 9, 10, 11}));
  EXPECT_EQ(sender->cwnd(), 10u);
  sack(3);
  sack(4);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->pipe(), 8u);
  sack(5);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 3u) << "floor((10 - 3) / 2): of segments 2 to 11 three are SACKed";
  EXPECT_EQ(sender->pipe(), 6u);
  EXPECT_EQ(sender->cwnd(), 7u) << "ceil(1 * 3 / 10) - 0 = 1";
  EXPECT_EQ(send(), (Psns{2}));
  sack(6);
  EXPECT_EQ(sender->cwnd(), 6u) << "pipe 6, ceil(2 * 3 / 10) - 1 = 0";
  sack(7);
  EXPECT_EQ(sender->cwnd(), 5u) << "pipe 5, ceil(3 * 3 / 10) - 1 = 0";
  sack(7);
  EXPECT_EQ(sender->pipe(), 5u) << "nothing new";
  sack(8);
  EXPECT_EQ(sender->cwnd(), 5u) << "pipe 4, ceil(4 * 3 / 10) - 1 = 1";
  EXPECT_EQ(send(), Psns{12});
  sack(9);
  EXPECT_EQ(sender->cwnd(), 4u) << "pipe 4, ceil(5 * 3 / 10) - 2 = 0";
  sack(10);
  EXPECT_EQ(sender->cwnd(), 3u) << "pipe 3 = ssthresh";
  EXPECT_EQ(send(), Psns{});
  sack(11);
  EXPECT_EQ(sender->cwnd(), 3u) << "pipe 2, room min(3 - 2, ...) = 1";
  EXPECT_EQ(send(), Psns{13});
  ack(12);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->cwnd(), 3u) << "ssthresh, and no growth by the ACK that ends it";
  EXPECT_EQ(send(), Psns{14}) << "12 and 13 are on their way";
}

TEST_F(TcpSending, RecoveriesThatMeetReduceTwice) {
  begin(8);
  send();
  sack(1);
  sack(2);
  EXPECT_EQ(send(), (Psns{8, 9}));
  sack(3);
  EXPECT_EQ(sender->ssthresh(), 3u) << "floor((10 - 3) / 2); recover is 10";
  EXPECT_EQ(send(), Psns{0});
  for (u64 psn = 4; psn < 10; ++psn) sack(psn);
  // Segment 0 is on its way: pipe 1. Delivered are 7, out 1: room = min(3 - 1, max(7 - 1, 1) + 1) = 2.
  EXPECT_EQ(send(), (Psns{10, 11}));
  // Segment 10 is lost. Each SACK makes pipe 2 and room for one.
  sack(11);
  EXPECT_EQ(send(), Psns{12});
  sack(12);
  EXPECT_EQ(send(), Psns{13});
  sack(13);
  ack(10);
  // It ends at segment 10, and the next begins there, with the first segment that was sent after the reduction: another
  // loss. ssthresh = max(2, floor((4 - 3) / 2)) = 2. Of 4 segments 3 are SACKed and one is lost: pipe 0. Delivered is
  // segment 0: room = min(2, max(1, 1) + 1) = 2.
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 2u);
  EXPECT_EQ(sender->cwnd(), 2u);
  EXPECT_EQ(send(), (Psns{10, 14}));
}

TEST_F(TcpSending, BelowTheThresholdRecoveryIsSlowStart) {
  begin(20);
  send();
  // Segments 0 to 15 are lost. SACKs 16 and 17 take two out of the pipe, and segments 20 and 21 follow.
  sack(16);
  sack(17);
  EXPECT_EQ(send(), (Psns{20, 21}));
  sack(18);
  // 22 segments, 3 SACKed, 16 lost: pipe 3, ssthresh floor(19 / 2). room = min(9 - 3, max(1 - 0, 1) + 1) = 2.
  EXPECT_EQ(sender->ssthresh(), 9u);
  EXPECT_EQ(sender->cwnd(), 5u);
  EXPECT_EQ(send(), (Psns{0, 1}));
  sack(19);
  // Segment 19 leaves the pipe: 3 - 1 + 2 = 4. Delivered are 2, out 2: room = min(5, max(0, 1) + 1) = 2.
  EXPECT_EQ(sender->cwnd(), 6u);
  EXPECT_EQ(send(), (Psns{2, 3}));
  ack(2);
  // Delivered are 4, out 4, of which 2 with this ACK: pipe 4, room = min(5, max(0, 2) + 1) = 3.
  EXPECT_EQ(sender->cwnd(), 7u);
  EXPECT_EQ(send(), (Psns{4, 5, 6}));
}

TEST_F(TcpSending, AboveTheThresholdHalfOfWhatIsDeliveredIsSent) {
  begin(20);
  EXPECT_EQ(send().size(), 20u);
  sack(1);
  sack(2);
  EXPECT_EQ(send(), (Psns{20, 21}));
  sack(3);
  // 22 segments, one lost, 3 SACKed: pipe 18, ssthresh floor(19 / 2) = 9; room = ceil(1 * 9 / 22) = 1.
  EXPECT_EQ(sender->pipe(), 18u);
  EXPECT_EQ(sender->cwnd(), 19u);
  sack(4);
  sack(5);
  // Nothing has been sent meanwhile: delivered 3, pipe 16, room = ceil(3 * 9 / 22) = 2.
  EXPECT_EQ(sender->cwnd(), 18u);
  EXPECT_EQ(send(), (Psns{0, 22}));
}

TEST_F(TcpSending, TheFirstRetransmissionAlwaysHasRoom) {
  begin(4);
  send();
  sack(1);
  sack(2);
  EXPECT_EQ(send(), (Psns{4, 5}));
  sack(3);
  // 6 segments, one lost, 3 SACKed: pipe 2 = ssthresh, its least, so room would be 0.
  EXPECT_EQ(sender->cwnd(), 3u);
  EXPECT_EQ(send(), Psns{0});
}

TEST_F(TcpSending, ALostRetransmissionWaitsForTheTimeout) {
  begin(8);
  send();
  for (u64 psn : {1, 2, 3}) sack(psn);
  EXPECT_EQ(sender->ssthresh(), 2u) << "floor((8 - 3) / 2)";
  EXPECT_EQ(send(), Psns{0});
  for (u64 psn : {4, 5, 6, 7}) sack(psn);
  EXPECT_EQ(send(), Psns{8});
  EXPECT_TRUE(sender->in_fast_recovery());
  const TimePs deadline = sender->rto_deadline();
  EXPECT_EQ(deadline, kFirstRto);
  EXPECT_TRUE(sender->time_out(deadline));
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 2u) << "as fast recovery set it; half of 9 segments would be 4";
  EXPECT_EQ(sender->cwnd(), 1u);
  EXPECT_EQ(sender->pipe(), 0u) << "all that is not SACKed is lost";
  EXPECT_EQ(send(deadline), Psns{0});
  EXPECT_EQ(sender->rto_deadline(), deadline + 2 * kFirstRto);
  ack(8, deadline + 1);
  EXPECT_EQ(sender->rto_deadline(), deadline + 1 + kFirstRto) << "progress ends the backoff";
}

TEST_F(TcpSending, AfterATimeoutOnlyNewLossesBeginFastRecovery) {
  begin(8);
  send();
  sender->time_out(kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 4u) << "half of segments 0 to 7";
  EXPECT_EQ(send(kFirstRto), Psns{0});
  for (u64 psn : {5, 6, 7}) sack(psn, kFirstRto);
  EXPECT_FALSE(sender->in_fast_recovery());
  ack(1, kFirstRto);
  EXPECT_EQ(sender->cwnd(), 2u) << "slow start";
  EXPECT_EQ(send(kFirstRto), (Psns{1, 2}));
  sender->time_out(3 * kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 3u) << "floor(7 / 2), SACKed or not: the ACK has ended the backoff";
  sender->time_out(5 * kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 3u) << "only the first timeout in a row reduces it";
  EXPECT_EQ(send(5 * kFirstRto), Psns{1});
}

}  // namespace
}  // namespace heddle::oracle
