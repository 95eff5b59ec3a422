// Text of `heddle check` on lost packets.
#include "host/check/warnings/loss_text.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"

namespace heddle {
namespace {

World two_hosts(const std::string& more) {
  return build_world("[topology]\nkind = \"star\"\nhosts = 2\n[[message]]\nsrc = 0\ndst = 1\nbytes = 1000\n" + more,
                     "test.toml");
}

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(LossText, SaysWhatALossCosts) {
  const std::string nccl = loss_text(two_hosts(""));
  EXPECT_TRUE(holds(nccl, "go_back_n: a lost packet is retransmitted, with all packets after it")) << nccl;
  EXPECT_TRUE(holds(nccl, "after roce.rto (4.295 s; at most 7 in a row)")) << nccl;
  const std::string never = loss_text(two_hosts("[roce]\nrto = 0\n"));
  EXPECT_TRUE(holds(never, "never retransmitted, as roce.rto is 0")) << never;
  const std::string selective = loss_text(two_hosts("[roce]\nrecovery = \"selective_repeat\"\n"));
  EXPECT_TRUE(holds(selective, "after roce.rto_low (100 us), or two round trips if these take longer")) << selective;
  const std::string high = loss_text(two_hosts("[roce]\nrecovery = \"selective_repeat\"\nrto_low = 0\n"));
  EXPECT_TRUE(holds(high, "what is lost twice are retransmitted after roce.rto")) << high;
}

TEST(LossText, OfTcp) {
  const std::string tcp = "class = \"best_effort\"\n[class.best_effort]\ntransport = \"tcp\"\n[tcp]\nloss_detection = ";
  EXPECT_TRUE(holds(loss_text(two_hosts(tcp + "\"dup_threshold\"\n")), "one of the last 3 segments, and what is lost"));
  const std::string rack = loss_text(two_hosts(tcp + "\"rack\"\n"));
  EXPECT_TRUE(holds(rack, "late by a part of the least round trip (RACK)")) << rack;
  EXPECT_TRUE(holds(rack, "the last segment, and what is lost twice")) << rack;
}

TEST(LossText, WarnsOfTimersThatDecideWhatFailuresCost) {
  const std::string failure = "[[failure]]\nlink = [\"gpu0\", \"switch0\"]\nat = \"1 ms\"\nuntil = \"2 ms\"\n";
  EXPECT_EQ(warning_of_losses(two_hosts("")), "") << "nothing fails";
  const std::string slower = "[[failure]]\nlink = [\"gpu0\", \"switch0\"]\nkind = \"rate\"\nrate = \"10 Gb/s\"\n";
  EXPECT_EQ(warning_of_losses(two_hosts(slower)), "") << "no packet is lost";
  const std::string elsewhere =
      "[[fabric]]\nname = \"frontend\"\n[fabric.topology]\nkind = \"star\"\nhosts = 2\n"
      "[[failure]]\nlink = [\"frontend.cpu0\", \"frontend.switch0\"]\nat = \"1 ms\"\n";
  EXPECT_EQ(warning_of_losses(two_hosts(elsewhere)), "") << "no RoCE goes there";
  EXPECT_TRUE(holds(warning_of_losses(two_hosts(failure)), "waits for roce.rto, 4.295 s, as NCCL sets it"));
  EXPECT_EQ(warning_of_losses(two_hosts(failure + "[roce]\ntimers = \"short\"\n")), "");
  EXPECT_EQ(warning_of_losses(two_hosts(failure + "[roce]\nrecovery = \"selective_repeat\"\n")), "");
  EXPECT_NE(warning_of_losses(two_hosts(failure + "[roce]\nrecovery = \"selective_repeat\"\nrto_low = 0\n")), "");
}

}  // namespace
}  // namespace heddle
