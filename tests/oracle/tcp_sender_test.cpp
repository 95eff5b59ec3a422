// The sending end of TCP by hand (MODEL.md, 8.11): the window at every answer, and what is sent.
#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_EQ(sender->ssthresh(), 5u);
  EXPECT_EQ(sender->pipe(), 6u);
  EXPECT_EQ(sender->cwnd(), 7u) << "ceil(1 * 5 / 10) - 0 = 1";
  EXPECT_EQ(send(), (Psns{2}));
  sack(6);
  EXPECT_EQ(sender->cwnd(), 6u) << "pipe 6, ceil(2 * 5 / 10) - 1 = 0";
  sack(7);
  EXPECT_EQ(sender->cwnd(), 5u) << "pipe 5 = ssthresh";
  sack(7);
  EXPECT_EQ(sender->pipe(), 5u) << "nothing new";
  for (u64 psn : {8, 9, 10, 11}) {
    sack(psn);
    EXPECT_EQ(sender->cwnd(), 5u);
    EXPECT_EQ(send(), (Psns{psn + 4})) << "pipe 4, room min(5 - 4, ...) = 1";
  }
  ack(12);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->cwnd(), 6u) << "ssthresh, and one for 10 segments acknowledged";
}

TEST_F(TcpSending, BelowTheThresholdRecoveryIsSlowStart) {
  begin(20);
  send();
  // Segments 0 to 15 are lost. SACKs 16 and 17 take two out of the pipe, and segments 20 and 21 follow.
  sack(16);
  sack(17);
  EXPECT_EQ(send(), (Psns{20, 21}));
  sack(18);
  // 22 segments, 3 SACKed, 16 lost: pipe 3. room = min(10 - 3, max(1 - 0, 1) + 1) = 2.
  EXPECT_EQ(sender->ssthresh(), 10u);
  EXPECT_EQ(sender->cwnd(), 5u);
  EXPECT_EQ(send(), (Psns{0, 1}));
  sack(19);
  // Segment 19 leaves the pipe: 3 - 1 + 2 = 4. Delivered are 2, out 2: room = min(6, max(0, 1) + 1) = 2.
  EXPECT_EQ(sender->cwnd(), 6u);
  EXPECT_EQ(send(), (Psns{2, 3}));
  ack(2);
  // Delivered are 4, out 4, of which 2 with this ACK: pipe 4, room = min(6, max(0, 2) + 1) = 3.
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
  // 22 segments, one lost, 3 SACKed: pipe 18, ssthresh 10; room = ceil(1 * 10 / 20) = 1.
  EXPECT_EQ(sender->pipe(), 18u);
  EXPECT_EQ(sender->cwnd(), 19u);
  sack(4);
  sack(5);
  // Nothing has been sent meanwhile: delivered 3, pipe 16, room = ceil(3 * 10 / 20) = 2.
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
  // 6 segments, one lost, 3 SACKed: pipe 2 = ssthresh, so room would be 0.
  EXPECT_EQ(sender->cwnd(), 3u);
  EXPECT_EQ(send(), Psns{0});
}

TEST_F(TcpSending, ALostRetransmissionWaitsForTheTimeout) {
  begin(8);
  send();
  for (u64 psn : {1, 2, 3}) sack(psn);
  send();
  for (u64 psn : {4, 5, 6, 7}) sack(psn);
  send();
  EXPECT_TRUE(sender->in_fast_recovery());
  const TimePs deadline = sender->rto_deadline();
  EXPECT_EQ(deadline, kFirstRto);
  const u64 pipe = sender->pipe();
  EXPECT_TRUE(sender->time_out(deadline));
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), std::max<u64>(2, pipe / 2));
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
  EXPECT_EQ(sender->ssthresh(), 4u) << "half of 8 segments";
  EXPECT_EQ(send(kFirstRto), Psns{0});
  for (u64 psn : {5, 6, 7}) sack(psn, kFirstRto);
  EXPECT_FALSE(sender->in_fast_recovery());
  ack(1, kFirstRto);
  EXPECT_EQ(sender->cwnd(), 2u) << "slow start";
  EXPECT_EQ(send(kFirstRto), (Psns{1, 2}));
  sender->time_out(3 * kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 2u) << "half of 2: the ACK has ended the backoff";
  sender->time_out(5 * kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 2u);
  EXPECT_EQ(send(5 * kFirstRto), Psns{1});
}

}  // namespace
}  // namespace heddle::oracle
