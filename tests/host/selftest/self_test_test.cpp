// The worlds of `heddle selftest` show what their names say, and a run that differs is detected and located.
#include "host/selftest/self_test.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "host/scenario/build.hpp"
#include "kernels/routing/policy_info.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

TEST(SelfTestWorlds, EveryKindComesWithEverySeed) {
  std::set<std::string> names, texts;
  for (u32 number = 0; number < 2 * self_test_kinds(); ++number) {
    const SelfTestWorld world = self_test_world(number);
    EXPECT_EQ(world.seed, 1 + number / self_test_kinds());
    names.insert(world.name);
    texts.insert(world.toml);
  }
  EXPECT_EQ(names.size(), self_test_kinds());
  EXPECT_EQ(texts.size(), 2 * self_test_kinds());
}

TEST(SelfTestWorlds, TouchWhatTheirNamesSay) {
  std::map<std::string, Totals> totals;
  for (u32 number = 0; number < self_test_kinds(); ++number) {
    const SelfTestResult result = self_test(self_test_world(number), self_test_ways(Device::cpu));
    EXPECT_EQ(result.difference, "") << result.world.name;
    EXPECT_EQ(result.outcome.reason, EndReason::complete) << result.world.name;
    totals[result.world.name] = result.outcome.totals;
  }
  EXPECT_GT(totals.at("pauses").pauses, 0u);
  EXPECT_GT(totals.at("dcqcn").cnps, 0u);
  EXPECT_GT(totals.at("all-to-all").cnps, 0u);
  EXPECT_GT(totals.at("large").cnps, 0u);
  EXPECT_GT(totals.at("drops").drops[static_cast<u32>(DropCause::class_limit)], 0u);
  EXPECT_GT(totals.at("spray").retransmits, 0u);
  EXPECT_GT(totals.at("spray").data_packets_out_of_order, 0u);
  EXPECT_GT(totals.at("failures").drops[static_cast<u32>(DropCause::link_down)], 0u);
  EXPECT_GT(totals.at("failures").drops[static_cast<u32>(DropCause::corrupted)], 0u);
  EXPECT_GT(totals.at("flowlets").flowlets, 0u);
  EXPECT_GT(totals.at("adaptive").data_packets_out_of_order, 0u);
}

TEST(SelfTestWorlds, UseEveryRoutingPolicyThatReadsNoFile) {
  std::set<std::string> used;
  for (u32 number = 0; number < self_test_kinds(); ++number) {
    const World world = build_world(self_test_world(number).toml, "world");
    used.insert(world.routing.policy.begin(), world.routing.policy.end());
  }
  for (const PolicyInfo& policy : routing_policies())
    EXPECT_EQ(used.count(std::string(policy.name)), policy.name == std::string("explicit") ? 0u : 1u) << policy.name;
}

World two_senders(u64 bytes) {
  World world = oracle::star(3);
  oracle::add_qp(world, 0, 2, {{20'000, 0}});
  oracle::add_qp(world, 1, 2, {{bytes, 5'000'000}});
  return world;
}

TEST(FirstDifference, NamesTheInstantTheTableAndTheEvent) {
  const SelfTestWay way = self_test_reference();
  const std::string text = first_difference(two_senders(20'000), way, two_senders(24'096), way);
  // the last packet of the second message is larger: until it leaves, both runs are equal
  EXPECT_NE(text.find("  the same until "), std::string::npos) << text;
  EXPECT_NE(text.find("    events: depart at "), std::string::npos) << text;
  EXPECT_NE(text.find("    links: link nic1 -> switch3 sent_bytes: "), std::string::npos) << text;
  EXPECT_NE(text.find("    saved state: node nic1, word "), std::string::npos) << text;
}

TEST(FirstDifference, SaysWhenNothingDiffersWhileItLooks) {
  const SelfTestWay way = self_test_reference();
  EXPECT_NE(first_difference(two_senders(20'000), way, two_senders(20'000), way).find("does not repeat"),
            std::string::npos);
}

TEST(FirstDifference, OfRunsThatEndAtOtherInstants) {
  const SelfTestWay way = self_test_reference();
  World shorter = two_senders(20'000);
  shorter.clocks.horizon_ps = 6'000'000;
  const std::string text = first_difference(two_senders(20'000), way, shorter, way);
  EXPECT_NE(text.find("run: goes on: no, not yes"), std::string::npos) << text;
}

TEST(SelfTest, HappeningsAreWhatIsNotZero) {
  Totals totals;
  EXPECT_EQ(happenings(totals), "");
  totals.pauses = 3;
  totals.drops[2] = 1;
  totals.drops[5] = 4;
  EXPECT_EQ(happenings(totals), "3 pauses, 5 drops");
}

}  // namespace
}  // namespace heddle
