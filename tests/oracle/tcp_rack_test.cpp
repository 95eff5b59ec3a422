// RACK by hand (MODEL.md, 8.11): how long TCP waits for segments that are out of order.
#include <gtest/gtest.h>

#include "tests/oracle/tcp_sending.hpp"

namespace heddle::oracle {
namespace {

constexpr TimePs kRtt = 8'000'000, kQuarter = kRtt / 4;

class Rack : public TcpSending {
 protected:
  /// Segment 0 has made a sample of kRtt; segments 1 to 8 are on their way since then.
  void begin_with_round_trip() {
    begin(8);
    world.tcp.loss_detection = TcpLossDetection::rack;
    sender->start(0);
    ack(1, kRtt);
    send(kRtt);
    ASSERT_EQ(sender->srtt_ps(), kRtt);
    ASSERT_EQ(sender->cwnd(), 8u) << "one segment was no use of the window";
  }
  /// The receiver says that segment `psn` was a duplicate.
  void dsack(u64 psn, TimePs t) {
    Packet packet;
    packet.kind = PacketKind::nak;
    packet.psn = static_cast<u32>(psn);
    packet.last = true;
    sender->acknowledge(packet, t);
  }
  static constexpr TimePs kNow = 2 * kRtt;
};

TEST_F(Rack, BeforeTheFirstSampleThreeSegmentsMakeOneLost) {
  begin(8);
  world.tcp.loss_detection = TcpLossDetection::rack;
  send();
  sack(1);
  sack(2);
  EXPECT_EQ(sender->low_deadline(), kNever);
  EXPECT_FALSE(sender->in_fast_recovery());
  sack(3);
  EXPECT_TRUE(sender->in_fast_recovery());
}

TEST_F(Rack, ASegmentOutOfOrderIsAwaited) {
  begin_with_round_trip();
  sack(2, kNow);
  EXPECT_EQ(sender->low_deadline(), kNow + kQuarter);
  ack(3, kNow + kQuarter - 1);  // 1 has come
  EXPECT_EQ(sender->low_deadline(), kNever);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(send(kNow + kQuarter), (Psns{9, 10, 11})) << "the window has grown to 9";
}

TEST_F(Rack, WhatDoesNotComeIsLost) {
  begin_with_round_trip();
  sack(2, kNow);
  sack(4, kNow + 5);
  EXPECT_EQ(sender->low_deadline(), kNow + kQuarter) << "the first one sets the timer";
  const u64 pipe = sender->pipe();
  sender->time_out_low(kNow + kQuarter);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 3u) << "floor((8 - 2) / 2)";
  EXPECT_EQ(sender->pipe(), pipe - 1) << "of segments 1 and 3 the timer is for 1 alone";
  EXPECT_EQ(sender->cwnd(), pipe) << "as if one had been delivered: ceil(1 * 3 / 8) beyond the pipe";
  EXPECT_EQ(sender->low_deadline(), kNow + 2 * kQuarter) << "now it runs for segment 3";
  EXPECT_EQ(send(kNow + kQuarter), Psns{1});
}

TEST_F(Rack, WithoutReorderingThreeSegmentsAreEnough) {
  begin_with_round_trip();
  sack(2, kNow);
  sack(3, kNow);
  EXPECT_FALSE(sender->in_fast_recovery());
  sack(8, kNow);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->low_deadline(), kNever);
  EXPECT_EQ(sender->pipe(), 0u) << "all before segment 8 is lost, and it has come";
}

TEST_F(Rack, AfterReorderingThreeSegmentsAreNot) {
  begin_with_round_trip();
  sack(3, kNow);
  sack(2, kNow);  // came behind 3
  for (u64 psn : {4, 5, 6}) sack(psn, kNow + 1);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->low_deadline(), kNow + kQuarter);
}

TEST_F(Rack, ARetransmissionIsNoReordering) {
  begin_with_round_trip();
  for (u64 psn : {2, 3, 4}) sack(psn, kNow);
  EXPECT_EQ(send(kNow), Psns{1});
  ack(5, kNow + kRtt);
  const u64 pipe = sender->pipe();
  sack(7, kNow + kRtt);
  EXPECT_EQ(sender->low_deadline(), kNever);
  EXPECT_EQ(sender->pipe(), pipe - 3) << "segment 7 has come, and 5 and 6 are lost at once";
}

TEST_F(Rack, DuplicatesLengthenTheWaitOnceARoundTrip) {
  begin_with_round_trip();
  dsack(0, kNow);
  dsack(0, kNow);
  sack(2, kNow);
  EXPECT_EQ(sender->low_deadline(), kNow + 2 * kQuarter);
  ack(9, kNow + 1);
  send(kNow + 1);
  dsack(1, kNow + 2);
  sack(10, kNow + 3);
  EXPECT_EQ(sender->low_deadline(), kNow + 3 + 3 * kQuarter);
}

TEST_F(Rack, TheWaitIsNoLongerThanARoundTrip) {
  begin_with_round_trip();
  TimePs t = kNow;
  Psns sent{8};
  for (u32 round = 0; round < 5; ++round, t += kRtt) {
    dsack(0, t);
    ack(sent.back() + 1, t);
    sent = send(t);
  }
  ASSERT_EQ(sender->srtt_ps(), kRtt);
  sack(sent.front() + 1, t);
  EXPECT_EQ(sender->low_deadline(), t + kRtt) << "not 6 quarters";
}

TEST_F(Rack, AfterSixteenRecoveriesTheWaitIsAQuarterAgain) {
  begin_with_round_trip();
  dsack(0, kNow);
  Psns sent{8};
  const auto recover = [&] {
    sender->time_out(kNow);
    send(kNow);
    ack(sent.back() + 1, kNow);
    sent = send(kNow);
    ASSERT_GE(sent.size(), 2u);
  };
  for (u32 i = 0; i < 15; ++i) recover();
  sack(sent.front() + 1, kNow);
  EXPECT_EQ(sender->low_deadline(), kNow + 2 * kQuarter);
  recover();
  sack(sent.front() + 1, kNow);
  EXPECT_EQ(sender->low_deadline(), kNow + kQuarter);
}

TEST_F(Rack, ATimeoutStopsTheTimer) {
  begin_with_round_trip();
  sack(2, kNow);
  sender->time_out(kNow + 1);
  EXPECT_EQ(sender->low_deadline(), kNever);
}

}  // namespace
}  // namespace heddle::oracle
