// CUBIC by hand (MODEL.md, 8.11): its function of time, and the windows of a sender.
#include "tests/oracle/cubic.hpp"

#include <gtest/gtest.h>

#include "tests/oracle/tcp_sending.hpp"

namespace heddle::oracle {
namespace {

constexpr TimePs kSecond = 1'000'000'000'000;

TEST(Cubic, KeepsSevenTenths) {
  EXPECT_EQ(cubic_rest(100), 70u);  // 71,700 / 1024 = 70.02
  EXPECT_EQ(cubic_rest(99), 69u);   // 70,983 / 1024 = 69.3
  EXPECT_EQ(cubic_rest(1), 0u);
}

TEST(Cubic, TheWindowAtATime) {
  // From the flat point on: 410 / 1024 segments after 1 s, 8 times as many after 2 s, 1000 times after 10 s.
  EXPECT_EQ(cubic_window(100, 0, 0), 100u);
  EXPECT_EQ(cubic_window(100, 0, kSecond), 100u);
  EXPECT_EQ(cubic_window(100, 0, 2 * kSecond), 103u);   // 3.2
  EXPECT_EQ(cubic_window(100, 0, 10 * kSecond), 500u);  // 400.4
  // Time counts in 1/1024 s. 1389^3 = 2,679,826,869 and 1390^3 = 2,685,619,000; 2^40 / 410 is 2,681,735,677.
  EXPECT_EQ(cubic_window(100, 0, 1390 * (kSecond / 1024) - 1), 100u);
  EXPECT_EQ(cubic_window(100, 0, 1390 * (kSecond / 1024)), 101u);
  // Flat at 2 s: as far below before as above after.
  EXPECT_EQ(cubic_window(100, 2048, 0), 97u);
  EXPECT_EQ(cubic_window(100, 2048, kSecond), 100u);
  EXPECT_EQ(cubic_window(100, 2048, 2 * kSecond), 100u);
  EXPECT_EQ(cubic_window(100, 2048, 4 * kSecond), 103u);
}

TEST(Cubic, DistancesAreLimited) {
  EXPECT_EQ(cubic_window(5, 0, 256 * kSecond), 5u + 410u * 16384) << "2^18 / 1024 s: 410 * 2^54 / 2^40";
  EXPECT_EQ(cubic_window(5, 0, 300 * kSecond), 5u + 410u * 16384);
  EXPECT_EQ(cubic_window(5, 0, kNever), 5u + 410u * 16384);
}

TEST(Cubic, TheTimeToTheOldWindow) {
  EXPECT_EQ(cubic_k(2, 1), 1389u);
  EXPECT_EQ(cubic_k(3, 1), 1750u);  // 5,359,375,000 <= 5,363,471,354, and 1751^3 = 5,368,567,751
  EXPECT_EQ(cubic_k(9, 1), 2778u);  // twice the first for 8 times the distance
  EXPECT_EQ(cubic_k(1001, 1), 13893u);
  EXPECT_EQ(cubic_k(65536, 2), 56013u);  // 56,013^3 = 175,738,332,394,197 <= 175,744,865,856,518
}

TEST(Cubic, NewRenosWindowDoesNotTakeFromALargerOne) {
  Cubic cubic;
  u64 cwnd = 10, count = 3;
  cubic.grow(10, 0, 0, cwnd, count);  // an epoch from 10; w_est = 10 + 10 / 10, beyond W(0) = 10
  EXPECT_EQ(cwnd, 11u);
  EXPECT_EQ(count, 0u);
  cwnd = 20, count = 3;
  cubic.grow(20, 0, 0, cwnd, count);  // w_est = 12
  EXPECT_EQ(cwnd, 20u);
  EXPECT_EQ(count, 0u);
}

class CubicSending : public TcpSending {
 protected:
  /// Sends a first window, which waits for nothing but for more than 100 s.
  void begin_patiently(u32 window) {
    begin(window, TcpControl::cubic);
    world.tcp.rto_min_ps = 100 * kSecond;
    send();
  }
};

TEST_F(CubicSending, SlowStartIsAsNewRenos) {
  begin_patiently(4);
  ack(4);
  EXPECT_EQ(sender->cwnd(), 8u);
}

TEST_F(CubicSending, MarksLeaveSevenTenths) {
  begin_patiently(100);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 70u);
  EXPECT_EQ(sender->ssthresh(), 70u);
  marked_ack(100);
  EXPECT_EQ(sender->cwnd(), 70u) << "once in a window";
}

TEST_F(CubicSending, MarksLeaveTwo) {
  begin_patiently(2);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 2u);
}

TEST_F(CubicSending, TheWindowFollowsTheCubic) {
  begin_patiently(100);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 70u) << "w_max = w_prior = 100";
  ack(31);
  // The epoch: k = 4317 for 30 segments, W(0) = 100 - floor(29.999...) = 71, and the round trip is 0. Count = 30 * (71
  // - 70).
  EXPECT_EQ(sender->cwnd(), 70u);
  EXPECT_EQ(send(), Psns{100});
  ack(71);  // 30 + 40
  EXPECT_EQ(sender->cwnd(), 71u);
  EXPECT_EQ(send().size(), 41u);
  ack(81, 4 * kSecond);
  // W(4 s) = 100: 4317 - 4096 are 221 units, and 410 * 221^3 is less than 2^40. Count = 10 * (100 - 71) = 290 = 71 + 72
  // + 73 + 74.
  EXPECT_EQ(sender->srtt_ps(), 0);
  EXPECT_EQ(sender->cwnd(), 75u);
  EXPECT_EQ(send(4 * kSecond).size(), 14u);
  ack(91, 10 * kSecond);
  // W is far beyond 75 + floor(75 / 2) = 112. Count = 10 * 37 = 75 + 76 + 77 + 78 + 64.
  EXPECT_EQ(sender->cwnd(), 79u);
}

TEST_F(CubicSending, TheWindowAimsARoundTripAhead) {
  begin_patiently(100);
  answer(PacketKind::ack, 1, true, 2 * kSecond);
  EXPECT_EQ(sender->srtt_ps(), 2 * kSecond);
  ack(4, 2 * kSecond);
  // The epoch begins: W(0) = 71, but W(2 s): 410 * (4317 - 2048)^3 / 2^40 = 4.4, so 100 - 4. Count = 3 * (96 - 70)
  // = 78.
  EXPECT_EQ(sender->cwnd(), 71u);
  ack(7, 2 * kSecond);  // 8 + 3 * (96 - 71) = 83
  EXPECT_EQ(sender->cwnd(), 72u);
}

TEST_F(CubicSending, NewRenosWindowDecides) {
  begin_patiently(20);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 14u);
  ack(15);
  // w_est = 14.529, W(0) = 20 - 5. Count = 14 * 1.
  EXPECT_EQ(sender->cwnd(), 15u);
  send();
  ack(30);  // w_est = 15.06, not beyond W(0) = 15, where the cubic stays
  EXPECT_EQ(sender->cwnd(), 15u);
  send();
  ack(45);  // 15.59
  EXPECT_EQ(sender->cwnd(), 15u);
  send();
  ack(60);  // 16.12
  EXPECT_EQ(sender->cwnd(), 16u);
}

TEST_F(CubicSending, NewRenosWindowGrowsByOneFromTheOldWindowOn) {
  begin_patiently(3);
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 2u);
  ack(3);  // w_est = 2.53, W(0) = 3. Count = 2 * 1.
  EXPECT_EQ(sender->cwnd(), 3u);
  send();
  ack(6);  // w_est = 3.06
  EXPECT_EQ(sender->cwnd(), 3u);
  send();
  ack(9);  // that was w_prior or more: 4.06
  EXPECT_EQ(sender->cwnd(), 4u);
  send();
  ack(13);  // 5.06
  EXPECT_EQ(sender->cwnd(), 5u);
}

TEST_F(CubicSending, FastConvergence) {
  begin_patiently(100);
  marked_ack(1);
  ack(100);  // the epoch: count = 99 * (71 - 70)
  EXPECT_EQ(sender->cwnd(), 71u);
  send();
  marked_ack(101);
  // 71 < 100, so w_max = floor(1741 * 71 / 2048) = 60. 717 * 71 / 1024 = 49.7.
  EXPECT_EQ(sender->cwnd(), 49u);
  ack(102);  // an epoch: W(0) = 60 - 10, count = 1
  ack(112, 3 * kSecond);
  // k = 3089 for 11 segments: W(3 s) and W(3.375 s) are 60. Count = 1 + 10 * 11 = 49 + 50 + 12.
  EXPECT_EQ(sender->cwnd(), 51u);
}

TEST_F(CubicSending, FastRecoveryKeepsSevenTenthsOfWhatIsOnItsWay) {
  begin_patiently(20);
  for (u64 psn : {1, 2, 3}) sack(psn);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 11u) << "717 * (20 - 3) / 1024 = 11.9";
  ack(20);
  EXPECT_EQ(sender->cwnd(), 11u);
  send();
  ack(21);  // an epoch, w_max = 20: W(0) = 20 - 8, count = 1
  ack(30, 3 * kSecond);
  // k = 2889 for 9 segments: W(3 s) and W(3.375 s) are 20, more than 11 + 5. Count = 1 + 9 * 5 = 11 + 12 + 13 + 10.
  EXPECT_EQ(sender->cwnd(), 14u);
  send(3 * kSecond);
  ack(37, 3 * kSecond);  // the target is 20 now: 10 + 7 * 6 = 14 + 15 + 16 + 7
  EXPECT_EQ(sender->cwnd(), 17u);
}

TEST_F(CubicSending, ALossBeforeTheLastReductionKeepsTheEpoch) {
  begin_patiently(20);
  marked_ack(1);
  ack(2);  // the epoch: 14 to 20, k = 2524, count = 1
  for (u64 psn : {3, 4, 5}) sack(psn);
  EXPECT_TRUE(sender->in_fast_recovery());
  EXPECT_EQ(sender->ssthresh(), 14u);
  ack(20);
  EXPECT_EQ(sender->cwnd(), 14u);
  send();
  ack(22, 2 * kSecond);  // W(2 s) = W(2.25 s) = 20. Count = 2 * 6; a new epoch would make it 2 * 1.
  ack(23, 2 * kSecond);  // 12 + 6 = 14 + 4
  EXPECT_EQ(sender->cwnd(), 15u);
  answer(PacketKind::ack, 24, true, 2 * kSecond);
  EXPECT_EQ(sender->cwnd(), 10u) << "717 * 15 / 1024 = 10.5";
  ack(25, 2 * kSecond);
  // 15 < 20, which was not noted again in between: w_max = floor(1741 * 15 / 2048) = 12, k = 1750. Count = 1 at first;
  // then W(2 s) = W(2.25 s or so) = 12.
  ack(30, 4 * kSecond);  // 1 + 5 * 2 = 10 + 1
  EXPECT_EQ(sender->cwnd(), 11u);
}

TEST_F(CubicSending, ATimeoutForgetsTheOldWindow) {
  begin_patiently(20);
  sender->time_out(kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 14u) << "717 * 20 / 1024";
  EXPECT_EQ(sender->cwnd(), 1u);
  send(kFirstRto);
  ack(20, kFirstRto);
  // Slow start takes 13 of 20 segments, and an epoch begins with 7: w_est = 14.26, as w_prior = 20; W(0) = 14, so count
  // stays.
  EXPECT_EQ(sender->cwnd(), 14u);
  EXPECT_EQ(send(kFirstRto).size(), 14u);
  ack(34, kFirstRto);  // 14.79
  EXPECT_EQ(sender->cwnd(), 14u);
  send(kFirstRto);
  ack(48, kFirstRto);  // 15.32
  EXPECT_EQ(sender->cwnd(), 15u);
}

TEST_F(CubicSending, ATimeoutInFastRecoveryNotesNoWindow) {
  begin_patiently(20);
  for (u64 psn : {1, 2, 3}) sack(psn);
  sender->time_out(kFirstRto);
  EXPECT_EQ(sender->ssthresh(), 11u) << "as fast recovery set it";
  send(kFirstRto);
  ack(20, kFirstRto);
  // Delivered are 17: slow start takes 10, an epoch begins with 7: w_est = 11.34, as w_prior = 20; W(0) = 11.
  EXPECT_EQ(sender->cwnd(), 11u);
  send(kFirstRto);
  ack(31, kFirstRto);  // 11.87
  EXPECT_EQ(sender->cwnd(), 11u);
  send(kFirstRto);
  ack(42, kFirstRto);  // 12.39
  EXPECT_EQ(sender->cwnd(), 12u);
}

TEST_F(CubicSending, IdlenessEndsTheEpoch) {
  begin_patiently(20);
  marked_ack(1);
  ack(20);  // the epoch: W(0) = 15, count = 19 = 14 + 5
  EXPECT_EQ(sender->cwnd(), 15u);
  const TimePs later = 200 * kSecond;
  EXPECT_EQ(send(later).size(), 15u);
  ack(34, later);
  // A new one, in which 20 is flat as before: W(0) = 16, also after the new round trip of 0. Count = 14.
  EXPECT_EQ(sender->cwnd(), 15u) << "in the old one the target would be 22, and count 5 + 14 * 7";
  send(later);
  ack(35, later);
  EXPECT_EQ(sender->cwnd(), 16u);
}

TEST_F(CubicSending, TheWindowIsAtMostTheReceivers) {
  begin(64, TcpControl::cubic);
  world.tcp.window_segments = 64;
  world.tcp.rto_min_ps = 100 * kSecond;
  send();
  marked_ack(1);
  EXPECT_EQ(sender->cwnd(), 44u);
  ack(2);
  ack(63, 90 * kSecond);  // 1 + 61 * 22 would make it 67
  EXPECT_EQ(sender->cwnd(), 64u);
}

}  // namespace
}  // namespace heddle::oracle
