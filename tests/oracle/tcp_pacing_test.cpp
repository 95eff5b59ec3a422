// Bursts and pacing of TCP by hand (MODEL.md, 8.11): when the next segment may leave, and whose turn it is.
#include <gtest/gtest.h>

#include "tests/oracle/tcp_sending.hpp"

namespace heddle::oracle {
namespace {

class TcpPacing : public TcpSending {
 protected:
  /// Sends 4 segments at 0, of which the first is acknowledged at 120'000: srtt. The window is 5 then, in slow start.
  void begin_with_round_trip(u32 burst_segments) {
    begin(4);
    world.tcp.pacing = true;
    world.tcp.burst_segments = burst_segments;
    EXPECT_EQ(send(), (Psns{0, 1, 2, 3})) << "no round trip is known yet";
    ack(1, 120'000);
    EXPECT_EQ(sender->srtt_ps(), 120'000);
    EXPECT_EQ(sender->cwnd(), 5u);
  }
};

/// 100 * 120'000 / (200 * 5) = 12'000 from segment to segment; with a window of 6, 10'000.
TEST_F(TcpPacing, SlowStartSendsTwoWindowsInARoundTrip) {
  begin_with_round_trip(1);
  EXPECT_EQ(send(120'000), (Psns{4}));
  EXPECT_EQ(sender->ready_at(), 132'000);
  EXPECT_EQ(send(131'999), Psns{});
  EXPECT_EQ(send(132'000), (Psns{5}));
  ack(2, 150'000);
  EXPECT_EQ(send(150'000), (Psns{6})) << "its pace, 144'000, has passed";
  EXPECT_EQ(sender->ready_at(), 160'000);
}

/// A mark leaves 2 of 5 segments, and two that are acknowledged make it 3: 12'000'000 / (120 * 3) from segment to
/// segment.
TEST_F(TcpPacing, AvoidanceSendsSixFifthsOfAWindow) {
  begin_with_round_trip(1);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 2u);
  ack(3, 130'000);
  EXPECT_EQ(sender->cwnd(), 3u);
  EXPECT_EQ(send(130'000), (Psns{4})) << "it was not held back before";
  EXPECT_EQ(sender->ready_at(), 163'333);
}

/// The last segment of a message counts for less: 90 B of 900.
TEST_F(TcpPacing, ASmallSegmentHoldsBackForLess) {
  begin(4);
  world.tcp.pacing = true;
  sender.emplace(world, 0);
  sender->append(4 * kSegmentBytes + kSegmentBytes / 10, 0, 0);
  sender->append(kSegmentBytes, 1, 0);
  send();
  ack(1, 120'000);
  EXPECT_EQ(send(120'000), (Psns{4}));
  EXPECT_EQ(sender->ready_at(), 121'200);
}

TEST_F(TcpPacing, ABurstLeavesAtOnceAndThePaceCountsAllOfIt) {
  begin_with_round_trip(2);
  EXPECT_EQ(send(120'000), (Psns{4, 5}));
  ack(2, 130'000);
  EXPECT_EQ(sender->ready_at(), 144'000) << "120'000 and twice 12'000";
}

TEST_F(TcpPacing, AConnectionKeepsTheTurnWhileItsBurstLasts) {
  begin(5);
  world.tcp.burst_segments = 3;
  std::vector<bool> keeps;
  while (sender->ready_at() <= 0) {
    sender->start(0);
    keeps.push_back(sender->keeps_turn());
  }
  EXPECT_EQ(keeps, (std::vector<bool>{true, true, false, true, false})) << "the window is closed behind the fifth";
}

TEST_F(TcpPacing, ATimeoutEndsABurst) {
  begin(4);
  world.tcp.burst_segments = 8;
  sender->start(0);
  EXPECT_TRUE(sender->keeps_turn());
  sender->time_out(2'000'000'000);
  EXPECT_FALSE(sender->keeps_turn());
}

}  // namespace
}  // namespace heddle::oracle
