// Selective repeat by hand (MODEL.md, 8.3 to 8.5): what a receiver places, acknowledges and requests, what a sender
// retransmits, its low timeout, and one lost packet from end to end.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/oracle/oracle.hpp"
#include "tests/oracle/receiver.hpp"
#include "tests/oracle/sender.hpp"
#include "tests/oracle/tiny_events.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle::oracle {
namespace {

World selective_star(u32 endpoints, u32 distance, u32 ack_every = 16) {
  World world = star(endpoints);
  world.roce.recovery = Recovery::selective_repeat;
  world.roce.reorder_window_packets = 64;
  world.roce.reorder_distance_packets = distance;
  world.roce.ack_every = ack_every;
  return world;
}

Packet data(u64 psn, bool last = false) {
  Packet packet;
  packet.psn = static_cast<u32>(psn & 0xffffff);
  packet.last = last;
  return packet;
}

std::vector<u64> psns_of(const std::vector<Packet>& packets) {
  std::vector<u64> psns;
  for (const Packet& packet : packets) psns.push_back(packet.psn);
  return psns;
}

using Psns = std::vector<u64>;

TEST(SelectiveReceiver, TakesWhatWasPlacedWhenTheGapCloses) {
  const World world = selective_star(2, 10);
  Receiver receiver;
  EXPECT_EQ(psns_of(receiver.on_data(world, data(0), 0).received), Psns{0});
  const Receiver::Reaction two = receiver.on_data(world, data(2), 0);
  EXPECT_TRUE(two.received.empty());
  EXPECT_EQ(two.ahead, 1u);
  EXPECT_EQ(receiver.on_data(world, data(4), 0).ahead, 3u);
  EXPECT_EQ(psns_of(receiver.on_data(world, data(1), 0).received), (Psns{1, 2}));
  EXPECT_EQ(receiver.expected_psn(), 3u);
  EXPECT_EQ(psns_of(receiver.on_data(world, data(3), 0).received), (Psns{3, 4}));
}

TEST(SelectiveReceiver, CountsWhatItPassesNotWhatComes) {
  const World world = selective_star(2, 10, 3);
  Receiver receiver;
  EXPECT_FALSE(receiver.on_data(world, data(0), 0).ack);
  for (u64 psn = 2; psn < 8; ++psn) EXPECT_FALSE(receiver.on_data(world, data(psn), 0).ack) << psn;
  EXPECT_TRUE(receiver.on_data(world, data(1), 0).ack) << "eight are passed";
  EXPECT_FALSE(receiver.on_data(world, data(8), 0).ack);
  EXPECT_FALSE(receiver.on_data(world, data(9), 0).ack);
  EXPECT_TRUE(receiver.on_data(world, data(10), 0).ack);
}

TEST(SelectiveReceiver, AcknowledgesMessagesThatEndInWhatWasPlaced) {
  const World world = selective_star(2, 10);
  Receiver receiver;
  EXPECT_FALSE(receiver.on_data(world, data(1, true), 0).ack) << "its message lacks a packet";
  EXPECT_FALSE(receiver.on_data(world, data(2), 0).ack);
  const Receiver::Reaction closed = receiver.on_data(world, data(0), 0);
  EXPECT_TRUE(closed.ack);
  EXPECT_EQ(closed.messages_before, 0u);
  EXPECT_EQ(receiver.on_data(world, data(3), 0).messages_before, 1u);
}

TEST(SelectiveReceiver, AsksOnceForWhatIsTooFarBehind) {
  const World world = selective_star(2, 2);
  Receiver receiver;
  receiver.on_data(world, data(0), 0);
  EXPECT_EQ(receiver.on_data(world, data(5), 0).missing, (Psns{1, 2, 3})) << "5 is only 1 ahead of 4";
  EXPECT_EQ(receiver.on_data(world, data(2), 0).missing, Psns{});
  EXPECT_EQ(receiver.on_data(world, data(6), 0).missing, Psns{4});
  EXPECT_EQ(receiver.on_data(world, data(7), 0).missing, Psns{});
  EXPECT_EQ(psns_of(receiver.on_data(world, data(1), 0).received), (Psns{1, 2}));
  EXPECT_EQ(psns_of(receiver.on_data(world, data(3), 0).received), Psns{3});
  EXPECT_EQ(receiver.on_data(world, data(9), 0).missing, Psns{}) << "4 was asked for, 8 is only late";
}

TEST(SelectiveReceiver, AsksOnceMoreHalfAWindowLater) {
  const World world = selective_star(2, 2);  // a window of 64
  Receiver receiver;
  for (u64 psn = 1; psn < 36; ++psn) {
    const bool due = psn == 2 || psn == 34;
    EXPECT_EQ(receiver.on_data(world, data(psn), 0).missing, due ? Psns{0} : Psns{}) << psn;
  }
  EXPECT_EQ(receiver.on_data(world, data(38), 0).missing, Psns{36}) << "37 is 1 behind the highest";
  EXPECT_EQ(receiver.on_data(world, data(63), 0).missing.size(), 24u) << "37, and 39 to 61";
}

TEST(SelectiveReceiver, AsksOnceWhereTheWindowEndsBeforeASecondTime) {
  const World world = selective_star(2, 32);
  Receiver receiver;
  for (u64 psn = 1; psn < 64; ++psn)
    EXPECT_EQ(receiver.on_data(world, data(psn), 0).missing, psn == 32 ? Psns{0} : Psns{}) << psn;
}

TEST(SelectiveReceiver, AcknowledgesAtOnceWhatARetransmissionRepairs) {
  const World world = selective_star(2, 2);
  Receiver receiver;
  for (u64 psn : {1, 2, 3, 5}) receiver.on_data(world, data(psn), 0);
  EXPECT_TRUE(receiver.on_data(world, data(0), 0).ack) << "a NAK has requested it";
  EXPECT_FALSE(receiver.on_data(world, data(4), 0).ack) << "it is only late";
}

TEST(SelectiveReceiver, KnowsDuplicates) {
  const World world = selective_star(2, 10);
  Receiver receiver;
  receiver.on_data(world, data(0, true), 0);
  receiver.on_data(world, data(2), 0);
  for (u64 psn : {0, 2}) {
    const Receiver::Reaction again = receiver.on_data(world, data(psn, psn == 0), 0);
    EXPECT_TRUE(again.duplicate) << psn;
    EXPECT_EQ(again.ahead, 0u) << psn;
    EXPECT_TRUE(again.ack) << psn;
  }
  EXPECT_FALSE(receiver.on_data(world, data(1), 0).duplicate);
}

TEST(SelectiveReceiver, GoesOnBeyond24Bits) {
  const World world = selective_star(2, 2);
  Receiver receiver;
  const u64 end = u64{1} << 24;
  for (u64 psn = 0; psn < end - 1; ++psn) receiver.on_data(world, data(psn), 0);
  EXPECT_EQ(receiver.on_data(world, data(end + 1), 0).missing, Psns{end - 1});
  EXPECT_EQ(psns_of(receiver.on_data(world, data(end - 1), 0).received), Psns{end - 1});
  EXPECT_EQ(psns_of(receiver.on_data(world, data(end), 0).received), (Psns{0, 1}));
  EXPECT_EQ(receiver.expected_psn(), end + 2);
}

Packet answer(PacketKind kind, u32 psn) {
  Packet packet;
  packet.kind = kind;
  packet.psn = psn;
  return packet;
}

struct SelectiveSender : testing::Test {
  SelectiveSender() : world(selective_star(2, 2)) {
    add_qp(world, 0, 1, {});
    sender.emplace(world, 0, kTinySpeed);
    sender->append(5 * 4096, 0, 0);
    sender->append(100 * 4096 + 1, 1, 0);
  }
  u32 next_psn() {
    EXPECT_LE(sender->ready_at(), 0);
    return sender->start(0).packet.psn;
  }
  World world;
  std::optional<Sender> sender;
};

TEST_F(SelectiveSender, RepeatsWhatIsAskedForTheLowestFirst) {
  for (u32 psn = 0; psn < 10; ++psn) EXPECT_EQ(next_psn(), psn);
  for (u32 psn : {7, 4, 5, 7}) EXPECT_TRUE(sender->acknowledge(answer(PacketKind::nak, psn), 0).empty());
  EXPECT_EQ(sender->next_wire_bytes(), 4096u + 102);
  const Sender::Start four = sender->start(0);
  EXPECT_EQ(four.packet.psn, 4u);
  EXPECT_TRUE(four.packet.last);
  EXPECT_TRUE(four.retransmission);
  EXPECT_EQ(four.packet.message, 0u);
  EXPECT_EQ(sender->next_wire_bytes(), kTinyDataWire) << "5 begins a message";
  EXPECT_EQ(sender->acknowledge(answer(PacketKind::ack, 7), 0).size(), 1u);
  EXPECT_EQ(next_psn(), 7u) << "5 has arrived meanwhile";
  EXPECT_EQ(next_psn(), 10u);
}

TEST_F(SelectiveSender, IgnoresNaksOfWhatIsAcknowledgedOrStillToBeSent) {
  for (u32 psn = 0; psn < 10; ++psn) next_psn();
  sender->acknowledge(answer(PacketKind::ack, 3), 0);
  for (u32 psn : {2, 10, 11}) sender->acknowledge(answer(PacketKind::nak, psn), 0);
  EXPECT_EQ(next_psn(), 10u);
}

TEST_F(SelectiveSender, ATimeoutSendsAllAgain) {
  for (u32 psn = 0; psn < 10; ++psn) next_psn();
  sender->acknowledge(answer(PacketKind::ack, 3), 0);
  sender->acknowledge(answer(PacketKind::nak, 6), 0);
  sender->time_out(0);
  sender->acknowledge(answer(PacketKind::nak, 5), 0);
  for (u32 psn = 3; psn < 12; ++psn) EXPECT_EQ(next_psn(), psn);
}

TEST_F(SelectiveSender, SendsNoMoreThanTheReceiverKeepsTrackOf) {
  for (u32 psn = 0; psn < 64; ++psn) EXPECT_EQ(next_psn(), psn);
  EXPECT_EQ(sender->ready_at(), kNever);
  sender->acknowledge(answer(PacketKind::nak, 9), 0);
  EXPECT_EQ(next_psn(), 9u) << "what is repeated needs no room";
  EXPECT_EQ(sender->ready_at(), kNever);
  sender->acknowledge(answer(PacketKind::ack, 1), 0);
  EXPECT_EQ(next_psn(), 64u);
}

TEST_F(SelectiveSender, TheFirstLowTimeoutRetransmitsTheFirstPacketAlone) {
  const TimePs low = world.roce.rto_low_ps;
  EXPECT_EQ(sender->low_deadline(), kNever) << "nothing is on its way";
  for (u32 psn = 0; psn < 3; ++psn) sender->start(psn * 1000);
  EXPECT_EQ(sender->low_deadline(), 2000 + low) << "counted from the last start";
  sender->time_out_low(2000 + low);
  EXPECT_EQ(sender->low_deadline(), 2000 + 3 * low) << "doubled, from the low timeout";
  EXPECT_EQ(sender->start(2000 + low).packet.psn, 0u);
  EXPECT_EQ(sender->start(2000 + low).packet.psn, 3u);
  sender->acknowledge(answer(PacketKind::ack, 1), 3 * low);
  EXPECT_EQ(sender->low_deadline(), 4 * low) << "progress; no round trip, as the timed packet was retransmitted";
  EXPECT_EQ(next_psn(), 4u) << "the others may be on their way";
}

TEST_F(SelectiveSender, LowTimeoutsInARowComeEvery16WaitsAndEnd) {
  const TimePs low = world.roce.rto_low_ps;
  next_psn();
  std::vector<TimePs> waits;
  for (TimePs t = 0; sender->low_deadline() < kNever; t = sender->low_deadline(), sender->time_out_low(t))
    waits.push_back(sender->low_deadline() - t);
  ASSERT_EQ(waits.size(), 200u);
  for (u32 i = 0; i < 200; ++i) EXPECT_EQ(waits[i], low << std::min(i, 4u)) << i;
  EXPECT_LT(sender->rto_deadline(), kNever);
}

TEST_F(SelectiveSender, AfterTwoLowTimeoutsAllIsRetransmittedStepByStep) {
  for (u32 psn = 0; psn < 12; ++psn) next_psn();
  sender->time_out_low(100);
  sender->time_out_low(300);
  EXPECT_EQ(next_psn(), 0u);
  sender->acknowledge(answer(PacketKind::ack, 1), 400);
  for (u32 psn : {1, 2, 12}) EXPECT_EQ(next_psn(), psn) << "two for one";
  sender->acknowledge(answer(PacketKind::ack, 3), 500);
  for (u32 psn : {3, 4, 5, 6, 13}) EXPECT_EQ(next_psn(), psn) << "four for two";
  sender->acknowledge(answer(PacketKind::ack, 9), 600);
  for (u32 psn : {9, 10, 11, 14}) EXPECT_EQ(next_psn(), psn) << "12 was sent after the outage";
}

TEST_F(SelectiveSender, TheLowTimeoutFollowsTheRoundTrip) {
  const TimePs low = world.roce.rto_low_ps;
  sender->start(0);
  sender->acknowledge(answer(PacketKind::ack, 1), 5 * low);  // a round trip of 5 low timeouts
  sender->start(6 * low);
  sender->start(6 * low + 1);
  EXPECT_EQ(sender->low_deadline(), 16 * low + 1);
  sender->acknowledge(answer(PacketKind::ack, 2), 7 * low);  // a round trip of 1: down by an eighth of the difference
  EXPECT_EQ(sender->low_deadline(), 7 * low + 2 * (5 * low - 4 * low / 8));
  sender->acknowledge(answer(PacketKind::ack, 3), 16 * low + 1);  // packet 2, from 6 * low + 1: a round trip of 10
  sender->start(20 * low);
  EXPECT_EQ(sender->low_deadline(), 40 * low);
}

TEST_F(SelectiveSender, ANakEndsTheMeasuringOfARoundTrip) {
  for (u32 psn = 0; psn < 4; ++psn) next_psn();
  sender->acknowledge(answer(PacketKind::nak, 0), 0);
  next_psn();
  sender->acknowledge(answer(PacketKind::ack, 4), 1'000'000'000);
  sender->start(1'000'000'000);
  EXPECT_EQ(sender->low_deadline(), 1'000'000'000 + world.roce.rto_low_ps);
}

TEST_F(SelectiveSender, ATimerOfZeroIsNone) {
  world.roce.rto_ps = world.roce.rto_low_ps = 0;
  next_psn();
  EXPECT_EQ(sender->rto_deadline(), kNever);
  EXPECT_EQ(sender->low_deadline(), kNever);
}

constexpr u64 kPackets = 60, kLost = 4;

/// Endpoint 0 sends 60 packets to 2, and loses one: when it arrives at the switch, a small packet of endpoint 1 is
/// still in the queue, which has room for one packet.
World one_loss(u32 distance) {
  World world = selective_star(3, distance);
  world.roce.reorder_window_packets = 128;  // half of the window is more than a round trip
  world.fabric.classes[1].limit_bytes = kTinyDataWire - kEthernetGapBytes;
  const TimePs small_ser = 119 * 20;
  add_qp(world, 0, 2, {{kPackets * 4096, 0}});
  add_qp(world, 1, 2, {{1, kSer + 3 * kSerNext + kSerNext / 2 - small_ser}});
  return world;
}

TEST(SelectiveRepeat, OneLostPacketIsSentOnceMore) {
  const Outcome outcome = simulate(one_loss(3), {false, kAllKinds});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.drops[0], 1u);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
  const std::vector<Event> repeated = events_of(outcome, EventKind::retransmit, 0);
  ASSERT_EQ(repeated.size(), 1u);
  EXPECT_EQ(repeated[0].value & 0xffffff, kLost);
  // Packet 7 exposes the loss. Its NAK arrives when the sender has started 42 packets; the retransmission goes next.
  const TimePs nak = kSer + 8 * kSerNext + 2 * kTinyLambda, heard = nak + 2 * kAckTime;
  const TimePs start = kSer + 42 * kSerNext;
  ASSERT_LE(heard, start);
  ASSERT_GT(heard, start - kSerNext);
  EXPECT_EQ(repeated[0].time_ps, start);
  std::vector<Event> naks;
  for (const Event& e : events_of(outcome, EventKind::depart, 2)) {
    if (kind_of(e) == static_cast<u32>(PacketKind::nak)) naks.push_back(e);
  }
  ASSERT_EQ(naks.size(), 1u);
  EXPECT_EQ(naks[0].time_ps, nak);
  EXPECT_EQ(naks[0].value & 0xffffff, kLost);
  // Packets 5 to 42 arrived ahead of the lost one.
  EXPECT_EQ(outcome.totals.data_packets_out_of_order, 38u);
  EXPECT_EQ(outcome.totals.largest_reordering_packets, 38u);
  EXPECT_EQ(outcome.totals.data_packets_duplicate, 0u);
  EXPECT_EQ(outcome.totals.data_packets_received, kPackets + 1);
  EXPECT_EQ(outcome.messages[0].retransmitted_packets, 1u);
  EXPECT_EQ(outcome.messages[0].received_bytes, kPackets * 4096);
  EXPECT_EQ(outcome.messages[0].received_ps, kSer + 60 * kSerNext + kSerNext + 2 * kTinyLambda);
}

TEST(SelectiveRepeat, GoBackNSendsAllThatFollowedAgain) {
  World world = one_loss(3);
  world.roce.recovery = Recovery::go_back_n;
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
  // One packet causes the difference: the NAK comes with packet 5, so 40 packets were sent before it arrived.
  EXPECT_EQ(outcome.totals.data_packets_out_of_order, 36u);
  EXPECT_EQ(outcome.totals.retransmits, 37u);
  EXPECT_EQ(outcome.totals.data_packets_duplicate, 0u);
}

TEST(SelectiveRepeat, TheDistanceIsInclusive) {
  const Outcome noticed = simulate(one_loss(kPackets - 1 - kLost), {});
  EXPECT_EQ(noticed.totals.timeouts, 0u);
  EXPECT_EQ(noticed.totals.retransmits, 1u);
  World world = one_loss(kPackets - kLost);
  world.roce.rto_low_ps = 0;
  const Outcome unnoticed = simulate(world, {});
  EXPECT_EQ(unnoticed.totals.timeouts, 1u) << "the last packet is one short of telling";
  // Everything from packet 0 on, as there was no ACK yet, until the ACK of packet 4 arrives, which covers the whole
  // message.
  const TimePs heard = 2 * (kSerNext + kTinyLambda) + 2 * kAckTime;
  const u64 repeated = kLost + static_cast<u64>(heard / kSerNext) + 1;
  EXPECT_EQ(unnoticed.totals.retransmits, repeated);
  EXPECT_EQ(unnoticed.totals.data_packets_duplicate, repeated - 1);
}

TEST(SelectiveRepeat, ALossAmongTheLastPacketsIsRepairedByTheLowTimeout) {
  World world = one_loss(kPackets - kLost);
  world.roce.ack_every = 1;
  const Outcome outcome = simulate(world, {});
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.drops[0], 1u);
  EXPECT_EQ(outcome.totals.timeouts, 0u);
  EXPECT_EQ(outcome.totals.retransmits, 1u);
  EXPECT_EQ(outcome.totals.data_packets_duplicate, 0u);
  const TimePs last_start = kSer + (kPackets - 2) * kSerNext, low = world.roce.rto_low_ps;
  EXPECT_EQ(outcome.messages[0].received_ps, last_start + low + 2 * (kSerNext + kTinyLambda));
}

}  // namespace
}  // namespace heddle::oracle
