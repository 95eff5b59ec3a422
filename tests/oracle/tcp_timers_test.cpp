// The sending end of TCP by hand (MODEL.md, 8.11): round trips, timeouts, marks.
#include <gtest/gtest.h>

#include <vector>

#include "tests/oracle/tcp_sending.hpp"

namespace heddle::oracle {
namespace {

TEST_F(TcpSending, RoundTripsMakeTheTimeout) {
  begin(1);
  world.tcp.rto_min_ps = 1'100'000'000;
  EXPECT_EQ(sender->rto_ps(), kFirstRto);
  sender->start(0);
  ack(1, 3'000'000);
  EXPECT_EQ(sender->srtt_ps(), 3'000'000);
  EXPECT_EQ(sender->rttvar_ps(), 1'500'000);
  EXPECT_EQ(sender->rto_ps(), 1'100'000'000) << "3 us + 1 ms are less than the least";
  sender->start(10'000'000);
  ack(2, 1'010'000'000);  // r = 1 ms: d = 997,000,000
  EXPECT_EQ(sender->srtt_ps(), 3'000'000 + 124'625'000);
  EXPECT_EQ(sender->rttvar_ps(), 1'500'000 + 248'875'000);  // (997,000,000 - 1,500,000) / 4
  EXPECT_EQ(sender->rto_ps(), 127'625'000 + 4 * TimePs{250'375'000});
  sender->start(2'000'000'000);
  ack(3, 2'000'000'001);  // r = 1: d = -127,624,999, both differences rounded down
  EXPECT_EQ(sender->srtt_ps(), 127'625'000 - 15'953'125);
  EXPECT_EQ(sender->rttvar_ps(), 250'375'000 - 30'687'501);
}

TEST_F(TcpSending, ARetransmissionIsNotMeasured) {
  begin(4);
  send(0);
  sender->time_out(kFirstRto);
  send(kFirstRto);
  ack(4, kFirstRto + 5);
  EXPECT_EQ(sender->rto_ps(), kFirstRto) << "Karn";
  EXPECT_EQ(send(100'000'000), (Psns{4, 5, 6}));
  ack(6, 103'000'000);
  EXPECT_EQ(sender->srtt_ps(), 3'000'000) << "a new segment is";
}

TEST_F(TcpSending, DctcpFollowsThePartThatIsMarked) {
  begin(8, TcpControl::dctcp);
  EXPECT_EQ(send().size(), 8u);
  ack(2);
  EXPECT_EQ(sender->alpha_q10(), 960u) << "1024 - 64; the first window is one ACK";
  EXPECT_EQ(send(), (Psns{8, 9, 10, 11}));
  marked_ack(4);
  EXPECT_EQ(sender->cwnd(), 6u) << "10 - floor(10 * 960 / 2048)";
  EXPECT_EQ(sender->ssthresh(), 6u);
  marked_ack(6);
  EXPECT_EQ(sender->cwnd(), 6u) << "once until segment 12 is acknowledged";
  marked_ack(8);
  EXPECT_EQ(sender->alpha_q10(), 964u) << "960 - 60 + 64: all of segments 2 to 7 were marked";
  EXPECT_EQ(send(), (Psns{12, 13}));
  ack(10);
  EXPECT_EQ(sender->alpha_q10(), 964u);
  ack(12);
  EXPECT_EQ(sender->alpha_q10(), 904u) << "964 - 60: none of segments 8 to 11 was";
}

TEST_F(TcpSending, WithoutMarksAlphaFallsToZero) {
  begin(1, TcpControl::dctcp);
  std::vector<u32> alphas;
  for (u64 psn = 1; sender->alpha_q10() > 0; ++psn) {
    sender->start(0);
    ack(psn);
    alphas.push_back(sender->alpha_q10());
  }
  EXPECT_EQ(std::vector(alphas.begin(), alphas.begin() + 4), (std::vector<u32>{960, 900, 844, 792}));
  EXPECT_EQ(std::vector(alphas.end() - 3, alphas.end()), (std::vector<u32>{16, 15, 0}));
}

TEST_F(TcpSending, MarksHalveTheWindowOnceInAWindow) {
  begin(8);
  send();
  marked_ack(2);
  EXPECT_EQ(sender->cwnd(), 4u);
  EXPECT_EQ(sender->ssthresh(), 4u);
  marked_ack(8);
  EXPECT_EQ(sender->cwnd(), 4u) << "the marks of segments that were sent before; nor does ECE let it grow";
  EXPECT_EQ(send(), (Psns{8, 9, 10, 11}));
  marked_ack(9);
  EXPECT_EQ(sender->cwnd(), 2u) << "segment 8 was sent after";
}

TEST_F(TcpSending, MarksOfWhatWasSentBeforeATimeoutDoNotReduce) {
  begin(8);
  send();
  sender->time_out(kFirstRto);
  EXPECT_EQ(send(kFirstRto), Psns{0});
  answer(PacketKind::ack, 8, true, kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 4u);
  EXPECT_EQ(sender->cwnd(), 1u);
  EXPECT_EQ(send(kFirstRto), Psns{8});
  answer(PacketKind::ack, 9, true, kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 2u) << "the least";
  EXPECT_EQ(sender->cwnd(), 2u);
}

TEST_F(TcpSending, AMarkAndALossReduceOnce) {
  begin(8);
  send();
  for (u64 psn : {1, 2}) sack(psn);
  answer(PacketKind::nak, 3, true, 0);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 4u) << "the mark, from 8; the loss alone would make it floor((8 - 3) / 2)";
  EXPECT_EQ(sender->cwnd(), 5u) << "8 segments, 3 SACKed, one lost: pipe 4 = ssthresh, and one as none is out";
  answer(PacketKind::nak, 4, true, 0);
  EXPECT_EQ(sender->ssthresh(), 4u) << "no mark reduces in fast recovery";
  answer(PacketKind::ack, 8, true, 0);
  EXPECT_FALSE(sender->in_fast_recovery());
  EXPECT_EQ(sender->cwnd(), 4u) << "nor does one of the ACK that ends it";
}

TEST_F(TcpSending, FailsAfterItsRetries) {
  begin(1);
  world.tcp.retries = 1;
  send();
  EXPECT_TRUE(sender->time_out(kFirstRto));
  EXPECT_FALSE(sender->time_out(3 * kFirstRto));
  EXPECT_EQ(sender->ready_at(), kNever);
  EXPECT_EQ(sender->rto_deadline(), kNever);
  ack(1);
  EXPECT_EQ(sender->ready_at(), kNever) << "it ignores ACKs";
}

}  // namespace
}  // namespace heddle::oracle
