// Predicted timeouts without losses, against runs.
#include "host/check/estimates/timeouts.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

/// 8.6 ms of data for one receiver.
World incast(const std::string& roce, const std::string& more = "[dcqcn]\nenabled = false\n") {
  return build_world(
      "[topology]\nkind = \"ai_zone\"\nracks = 8\ngpus_per_rack = 16\nctsws = 4\nuplinks_per_rtsw = 16\n"
      "[routing]\npolicy = \"e_ecmp\"\n[workload]\nqps_per_pair = 4\n"
      "[[generator]]\nkind = \"incast\"\nbytes = \"1 MiB\"\nfan_in = 100\nmessages = 4\n" +
          more + "[roce]\n" + roce,
      "test.toml");
}

TimeoutRisk risk_of(const World& world) { return timeout_risk(world, link_loads(world)); }

Totals totals_of(const World& world, TimePs until_ps) {
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  engine.advance(until_ps);
  return engine.totals();
}

TEST(Timeouts, NoneAreForeseenOrFireWhenQueuesDrainInTime) {
  const World world = incast("rto = \"20 ms\"\n");
  EXPECT_EQ(risk_of(world).warning, "");
  EXPECT_EQ(totals_of(world, 2'000'000'000).timeouts, 0u);
}

TEST(Timeouts, AreForeseenWhereAQueueTakesLongerToDrain) {
  const World world = incast("rto = \"1 ms\"\n");
  const TimeoutRisk risk = risk_of(world);
  EXPECT_FALSE(risk.certain);
  EXPECT_NE(risk.warning.find("roce.rto of 1 ms is shorter than packets may wait for rtsw0 -> gpu0 (port 0 of rtsw0)"),
            std::string::npos)
      << risk.warning;
  EXPECT_NE(risk.warning.find("100 senders can have"), std::string::npos) << risk.warning;
  EXPECT_NE(risk.warning.find("window_packets"), std::string::npos) << risk.warning;
  EXPECT_GT(totals_of(world, 5'000'000'000).timeouts, 0u);
}

/// 16 packets of 400 queue pairs take 0.54 ms.
TEST(Timeouts, AreCertainWhereNoAckCanComeInTime) {
  const World world = incast("rto = \"300 us\"\n");
  const TimeoutRisk risk = risk_of(world);
  EXPECT_TRUE(risk.certain);
  EXPECT_NE(risk.warning.find("400 queue pairs comes every 537.4 us"), std::string::npos) << risk.warning;
  EXPECT_GT(totals_of(world, 1'000'000'000).timeouts, 400u);
}

TEST(Timeouts, AWindowKeepsQueuesShort) {
  const World world = incast("rto = \"1 ms\"\nwindow_packets = 24\n");  // 0.8 ms of data of all senders
  EXPECT_EQ(risk_of(world).warning, "");
  EXPECT_EQ(totals_of(world, 5'000'000'000).timeouts, 0u);
}

TEST(Timeouts, OfDcqcnAreForeseenOnlyWhereTheyAreCertain) {
  const std::string on = "[dcqcn]\nenabled = true\n";
  EXPECT_EQ(risk_of(incast("rto = \"1 ms\"\n", on)).warning, "");
  EXPECT_TRUE(risk_of(incast("rto = \"300 us\"\n", on)).certain);
}

TEST(Timeouts, ARoundTripIsLonger) {
  const TimeoutRisk risk = risk_of(incast("rto = \"5 us\"\n"));
  EXPECT_TRUE(risk.certain);
  EXPECT_NE(risk.warning.find("is shorter than the way from gpu"), std::string::npos) << risk.warning;
}

TEST(Timeouts, AFullLineIsNoQueue) {
  const World world = build_world(
      "[topology]\nkind = \"ai_zone\"\nracks = 2\n[dcqcn]\nenabled = false\n"
      "[[message]]\nsrc = 0\ndst = 20\nbytes = \"1 GiB\"\n",
      "test.toml");
  EXPECT_EQ(risk_of(world).warning, "") << "21 ms at the rate of the line, but nothing waits";
}

}  // namespace
}  // namespace heddle
