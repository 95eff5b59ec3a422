// The receiving end of TCP by hand (MODEL.md, 8.11): which segment causes which answers.
#include "tests/oracle/tcp_receiver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/oracle/tiny_tcp.hpp"

namespace heddle::oracle {
namespace {

/// An answer in short: "ACK 3", "SACK 5", "DSACK 5", with "E" where it bears ECE.
std::string text(const ReceivingEnd::Answer& answer) {
  const char* kind = answer.kind == PacketKind::ack ? "ACK " : answer.dsack ? "DSACK " : "SACK ";
  return kind + std::to_string(answer.psn) + (answer.ece ? "E" : "");
}

using Texts = std::vector<std::string>;

class TcpReceiving : public ::testing::Test {
 protected:
  /// A segment comes; returns what it causes.
  Texts take(u64 psn, bool marked = false, TimePs t = 0, bool ends_message = false) {
    Packet packet;
    packet.psn = static_cast<u32>(psn & 0xffffff);
    packet.marked = marked;
    packet.last = ends_message;
    last = receiver.on_data(world, packet, t);
    Texts texts;
    for (const ReceivingEnd::Answer& answer : last.answers) texts.push_back(text(answer));
    return texts;
  }
  /// The last segment of a message comes.
  Texts take_last(u64 psn) { return take(psn, false, 0, true); }
  World world = tcp_star(2, 4);
  TcpReceiver receiver;
  ReceivingEnd::Reaction last;
};

TEST_F(TcpReceiving, EverySecondSegmentIsAcknowledged) {
  EXPECT_EQ(receiver.ack_deadline(), kNever);
  EXPECT_EQ(take(0, false, 100), Texts{});
  EXPECT_EQ(receiver.ack_deadline(), 100 + kAckDelay);
  EXPECT_EQ(take(1, false, 200), Texts{"ACK 2"});
  EXPECT_EQ(receiver.ack_deadline(), kNever);
  EXPECT_EQ(take(2, false, 300), Texts{});
  EXPECT_EQ(receiver.ack_deadline(), 300 + kAckDelay);
  EXPECT_EQ(text(receiver.delayed_ack()), "ACK 3");
  EXPECT_EQ(receiver.ack_deadline(), kNever);
}

TEST_F(TcpReceiving, TheDelayCountsFromTheFirstPendingSegment) {
  world.tcp.ack_every_segments = 3;
  take(0, false, 100);
  take(1, false, 200);
  EXPECT_EQ(receiver.ack_deadline(), 100 + kAckDelay);
  EXPECT_EQ(take(2, false, 300), Texts{"ACK 3"});
}

TEST_F(TcpReceiving, EverySegmentIsAcknowledgedWhereSoSet) {
  world.tcp.ack_every_segments = 1;
  EXPECT_EQ(take(0), Texts{"ACK 1"});
  EXPECT_EQ(receiver.ack_deadline(), kNever);
}

TEST_F(TcpReceiving, TheLastSegmentOfAMessageIsAcknowledgedAtOnce) {
  world.tcp.ack_every_segments = 4;
  EXPECT_EQ(take_last(0), Texts{"ACK 1"});
  EXPECT_EQ(receiver.ack_deadline(), kNever);
  EXPECT_EQ(take(1), Texts{});
  EXPECT_EQ(take_last(2), Texts{"ACK 3"});
  EXPECT_EQ(take(3), Texts{});
  EXPECT_EQ(take_last(5), (Texts{"ACK 4", "SACK 5"})) << "not where one before it is missing";
  EXPECT_EQ(take(4), Texts{"ACK 6"});
}

TEST_F(TcpReceiving, ASegmentThatComesTooEarlyIsSacked) {
  take(0);
  EXPECT_EQ(take(2), (Texts{"ACK 1", "SACK 2"})) << "the pending one is acknowledged before";
  EXPECT_EQ(last.ahead, 1u);
  EXPECT_EQ(take(4), Texts{"SACK 4"});
  EXPECT_EQ(take(5), Texts{"SACK 5"});
  EXPECT_EQ(take(1), Texts{"ACK 3"}) << "at once, as segments were placed";
  EXPECT_EQ(last.received.size(), 2u);
  EXPECT_EQ(take(3), Texts{"ACK 6"});
  EXPECT_EQ(last.received.size(), 3u);
  EXPECT_EQ(take(6), Texts{}) << "nothing is placed any more";
}

TEST_F(TcpReceiving, DuplicatesAreAcknowledgedAtOnce) {
  take(0);
  EXPECT_EQ(take(0), Texts{"ACK 1"});
  EXPECT_TRUE(last.duplicate);
  EXPECT_EQ(receiver.ack_deadline(), kNever) << "it was the pending one, too";
  take(3);
  EXPECT_EQ(take(3), Texts{"ACK 1"}) << "no second SACK";
  EXPECT_TRUE(last.duplicate);
  EXPECT_EQ(last.ahead, 0u);
}

TEST_F(TcpReceiving, AnswersSayWhatWasMarked) {
  EXPECT_EQ(take(0), Texts{});
  EXPECT_EQ(take(1, true), Texts{"ACK 1"}) << "of the unmarked one, at once";
  EXPECT_EQ(take(2, true), Texts{"ACK 3E"});
  EXPECT_EQ(take(3), Texts{}) << "nothing was pending";
  EXPECT_EQ(take(5, true), (Texts{"ACK 4", "SACK 5E"}));
  EXPECT_EQ(take(6), Texts{"SACK 6"});
  EXPECT_EQ(take(4, true), Texts{"ACK 7E"});
  EXPECT_EQ(take(7, true), Texts{});
  EXPECT_EQ(text(receiver.delayed_ack()), "ACK 8E");
}

TEST_F(TcpReceiving, GoesOnBeyond24Bits) {
  const u64 end = u64{1} << 24;
  for (u64 psn = 0; psn < end - 1; ++psn) take(psn);
  EXPECT_EQ(take(end), (Texts{"ACK 16777215", "SACK 16777216"}));
  EXPECT_EQ(take(end - 1), Texts{"ACK 16777217"});
}

TEST_F(TcpReceiving, RackLearnsOfDuplicates) {
  take(0);
  take(2);
  EXPECT_EQ(take(2), (Texts{"ACK 1"}));
  world.tcp.loss_detection = TcpLossDetection::rack;
  EXPECT_EQ(take(2), (Texts{"ACK 1", "DSACK 2"}));
  EXPECT_EQ(take(0), (Texts{"ACK 1", "DSACK 0"}));
}

}  // namespace
}  // namespace heddle::oracle
