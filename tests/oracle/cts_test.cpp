// CTSs of one queue pair, by hand (MODEL.md, 9.4).
#include "tests/oracle/cts.hpp"

#include <gtest/gtest.h>

namespace heddle::oracle {
namespace {

std::vector<u64> numbers(const std::vector<Cts>& all) {
  std::vector<u64> found;
  for (const Cts& cts : all) found.push_back(cts.number);
  return found;
}

RoceSettings settings() {
  RoceSettings roce;
  roce.rto_ps = 100;
  roce.rto_tries = 2;
  return roce;
}

TEST(CtsSender, NumbersAndAcknowledgements) {
  const RoceSettings roce = settings();
  CtsSender sender(roce);
  EXPECT_EQ(sender.deadline(), kNever);
  EXPECT_EQ(sender.create(7, 10)->number, 0u);
  EXPECT_EQ(sender.create(9, 20)->number, 1u);
  EXPECT_EQ(sender.create(11, 30)->slice, 11u);
  EXPECT_EQ(sender.deadline(), 110) << "from the first that was unacknowledged";
  EXPECT_TRUE(sender.answered(1, false, 40).empty());
  EXPECT_EQ(sender.deadline(), 140);
  EXPECT_TRUE(sender.answered(1, false, 50).empty()) << "no progress";
  EXPECT_EQ(sender.deadline(), 140);
  EXPECT_EQ(numbers(sender.answered(2, true, 60)), (std::vector<u64>{2}));
  EXPECT_EQ(sender.deadline(), 160);
  EXPECT_TRUE(sender.answered(3, false, 70).empty());
  EXPECT_EQ(sender.deadline(), kNever);
}

TEST(CtsSender, TimesOutAndGivesUp) {
  const RoceSettings roce = settings();
  CtsSender sender(roce);
  sender.create(0, 0);
  sender.create(1, 0);
  EXPECT_EQ(numbers(*sender.time_out(100)), (std::vector<u64>{0, 1}));
  EXPECT_EQ(numbers(*sender.time_out(200)), (std::vector<u64>{0, 1}));
  sender.answered(1, false, 250);  // progress resets the tries
  EXPECT_EQ(numbers(*sender.time_out(350)), (std::vector<u64>{1}));
  EXPECT_EQ(numbers(*sender.time_out(450)), (std::vector<u64>{1}));
  EXPECT_FALSE(sender.time_out(550));
  EXPECT_EQ(sender.deadline(), kNever);
  EXPECT_FALSE(sender.create(2, 600));
  EXPECT_TRUE(sender.answered(0, true, 610).empty());
}

TEST(CtsSender, TheLowTimeoutCreatesAllAgain) {
  RoceSettings roce = settings();
  roce.rto_low_ps = 10;
  CtsSender sender(roce);
  sender.create(7, 0);
  EXPECT_EQ(sender.low_deadline(), kNever) << "go-back-N";
  roce.recovery = Recovery::selective_repeat;
  sender.create(9, 5);
  EXPECT_EQ(sender.low_deadline(), 10);
  EXPECT_EQ(numbers(sender.time_out_low()), (std::vector<u64>{0, 1}));
  EXPECT_EQ(sender.low_deadline(), 20) << "doubled, from the last progress";
  EXPECT_EQ(sender.deadline(), 100);
  sender.answered(1, false, 30);
  EXPECT_EQ(sender.low_deadline(), 40);
  std::vector<TimePs> deadlines;
  for (u32 i = 0; i < 7; ++i) {
    EXPECT_EQ(numbers(sender.time_out_low()), std::vector<u64>{1});
    deadlines.push_back(sender.low_deadline() - 30);
  }
  EXPECT_EQ(deadlines, (std::vector<TimePs>{20, 40, 80, 160, 320, 480, 640}));
  sender.time_out(130);
  EXPECT_EQ(sender.low_deadline(), 140);
}

TEST(CtsReceiver, GoBackNAsksOnceForEach) {
  CtsReceiver receiver;
  CtsReceiver::Reaction reaction = receiver.on_cts(0, false);
  EXPECT_TRUE(reaction.taken);
  EXPECT_EQ(reaction.answer, PacketKind::cts_ack);
  EXPECT_EQ(reaction.expected, 1u);
  reaction = receiver.on_cts(2, false);
  EXPECT_FALSE(reaction.taken);
  EXPECT_EQ(reaction.answer, PacketKind::cts_nak);
  EXPECT_EQ(reaction.expected, 1u);
  EXPECT_FALSE(receiver.on_cts(3, false).answer) << "it has been asked for";
  reaction = receiver.on_cts(0, false);
  EXPECT_FALSE(reaction.taken);
  EXPECT_EQ(reaction.answer, PacketKind::cts_ack) << "duplicates are acknowledged again";
  EXPECT_TRUE(receiver.on_cts(1, false).taken);
  EXPECT_EQ(receiver.on_cts(3, false).answer, PacketKind::cts_nak) << "of another one";
}

TEST(CtsReceiver, SelectiveRepeatTakesAll) {
  CtsReceiver receiver;
  CtsReceiver::Reaction reaction = receiver.on_cts(1, true);
  EXPECT_TRUE(reaction.taken);
  EXPECT_FALSE(reaction.answer);
  reaction = receiver.on_cts(1, true);
  EXPECT_FALSE(reaction.taken);
  EXPECT_EQ(reaction.answer, PacketKind::cts_ack);
  EXPECT_EQ(reaction.expected, 0u);
  reaction = receiver.on_cts(0, true);
  EXPECT_TRUE(reaction.taken);
  EXPECT_EQ(reaction.expected, 2u);
}

}  // namespace
}  // namespace heddle::oracle
