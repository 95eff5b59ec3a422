// What is said of the links of a run in short.
#include "io/results/hot_links.hpp"

#include <gtest/gtest.h>

#include "io/results/goodput.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::vector<LinkOutcome> idle_links() { return std::vector<LinkOutcome>(small_world().fabric.links.size()); }

LinkSummary summary_of(const std::vector<LinkOutcome>& links, TimePs end_ps = 1'000'000, bool stalled = false) {
  return summarize_links(link_names(small_world(), 1), links, end_ps, stalled);
}

TEST(HotLinks, AreNamedByPortsAndSorted) {
  std::vector<LinkOutcome> links = idle_links();
  links[1].sent_bytes = 100;    // gpu1's NIC
  links[5].sent_bytes = 2'000;  // the switch's port 1
  links[6].sent_bytes = 2'000;  // of two that are equal the first comes first
  links[2].paused_ps = 7;
  links[7].peak_queue_bytes = 9;
  links[7].peak_queue_ps = 3;
  const LinkSummary summary = summary_of(links);
  ASSERT_EQ(summary.busiest.size(), 3u) << "links that sent nothing are no hot spots";
  EXPECT_EQ(summary.busiest[0].name, "rtsw0 port 1 -> gpu1");
  EXPECT_EQ(summary.busiest[1].name, "rtsw0 port 2 -> gpu2");
  EXPECT_EQ(summary.busiest[2].name, "gpu1 -> rtsw0");
  EXPECT_DOUBLE_EQ(summary.busiest[0].use, 0.04);  // 50,000 B in a microsecond at 400G
  ASSERT_EQ(summary.longest_paused.size(), 1u);
  EXPECT_EQ(summary.longest_paused[0].name, "gpu2 -> rtsw0");
  ASSERT_EQ(summary.longest_queues.size(), 1u);
  EXPECT_EQ(summary.longest_queues[0].counted.peak_queue_ps, 3);
}

TEST(HotLinks, AtMostTenOfEach) {
  World world = small_world();
  LinkNames names = link_names(world, 1);
  std::vector<LinkOutcome> links = idle_links();
  for (u32 more = 0; more < 8; ++more) {
    names.src.push_back(4), names.dst.push_back(0), names.src_port.push_back(more), names.bits_per_s.push_back(1);
    links.emplace_back();
  }
  for (std::size_t l = 0; l < links.size(); ++l) links[l].paused_ps = l + 1;
  const LinkSummary summary = summarize_links(names, links, 1'000, false);
  ASSERT_EQ(summary.longest_paused.size(), kHotLinks);
  EXPECT_EQ(summary.longest_paused.front().counted.paused_ps, 16u);
  EXPECT_EQ(summary.longest_paused.back().counted.paused_ps, 7u);
}

TEST(HotLinks, KindsHaveTheLargestQueueOfOneLink) {
  std::vector<LinkOutcome> links = idle_links();
  for (u32 l = 4; l < 8; ++l) links[l] = {1, 10 * l, 5, 1, 0, 0, 0, 0, 100 - l, static_cast<TimePs>(l)};
  const LinkSummary summary = summary_of(links);
  ASSERT_EQ(summary.kinds.size(), 2u);
  const LinkKind& down = summary.kinds[1];
  EXPECT_EQ(down.name, "rtsw>endpoint");
  EXPECT_EQ(down.links, 4u);
  EXPECT_EQ(down.sum.sent_bytes, 220u);
  EXPECT_EQ(down.sum.paused_ps, 20u);
  EXPECT_EQ(down.max_paused_ps, 5u);
  EXPECT_EQ(down.sum.peak_queue_bytes, 96u);
  EXPECT_EQ(down.sum.peak_queue_ps, 4);
  EXPECT_EQ(summary.kinds[0].sum.peak_queue_ps, -1);
}

/// Planes compare.
TEST(HotLinks, EachPortOfNicsIsAKindOfItsOwn) {
  LinkNames names;
  names.node_names = {"gpu0", "gpu1", "plane0", "plane1"};
  names.node_tiers = {Tier::endpoint, Tier::endpoint, Tier{1}, Tier{1}};
  names.tier_names = {{0, "endpoint"}, {1, "leaf"}};
  names.src = {0, 0, 1, 1, 2, 2, 3, 3};
  names.dst = {2, 3, 2, 3, 0, 1, 0, 1};
  names.src_port = {0, 1, 0, 1, 0, 1, 0, 1};
  names.dst_port = {0, 0, 1, 1, 0, 0, 1, 1};
  names.bits_per_s.assign(8, 400'000'000'000);
  std::vector<LinkOutcome> links = idle_links();
  links[1].sent_bytes = 3'000;
  links[3].sent_bytes = 1'000;
  const LinkSummary summary = summarize_links(names, links, 1'000'000, false);
  std::vector<std::string> kinds;
  for (const LinkKind& kind : summary.kinds) kinds.push_back(kind.name);
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"endpoint.0>leaf", "endpoint.1>leaf", "leaf>endpoint.0", "leaf>endpoint.1"}));
  EXPECT_EQ(summary.kinds[0].sum.sent_bytes, 0u);
  EXPECT_EQ(summary.kinds[1].sum.sent_bytes, 4'000u);
  EXPECT_EQ(summary.kinds[3].links, 2u);
  EXPECT_EQ(summary.busiest[0].name, "gpu0 port 1 -> plane1");
}

/// As busiest / mean is of the links' uses, too.
TEST(HotLinks, TheMeanIsThatOfTheLinksWhateverTheirRates) {
  LinkNames names = link_names(small_world(), 1);
  names.bits_per_s[4] = 100'000'000'000;
  std::vector<LinkOutcome> links = idle_links();
  for (u32 l = 4; l < 8; ++l) links[l].sent_bytes = 5'000;
  const LinkKind down = summarize_links(names, links, 1'000'000, false).kinds[1];
  EXPECT_DOUBLE_EQ(down.max_use, 0.4);
  EXPECT_DOUBLE_EQ(down.mean_use, (0.4 + 3 * 0.1) / 4);
  EXPECT_DOUBLE_EQ(down.balance.busiest_over_mean, down.max_use / down.mean_use);
}

TEST(HotLinks, UseIsNeverAboveOneNorMadeUp) {
  std::vector<LinkOutcome> links = idle_links();
  links[0].sent_bytes = 50'011;  // times that are cut per packet let a trace more through than the rate says
  EXPECT_EQ(summary_of(links).busiest[0].use, 1.0);
  EXPECT_NE(describe_links(summary_of(links)).find("100.00 %"), std::string::npos);
  const LinkSummary stalled = summary_of(links, 10, true);  // its last completion says nothing of what was sent later
  EXPECT_FALSE(stalled.use_known);
  EXPECT_EQ(describe_links(stalled).find("%"), std::string::npos) << describe_links(stalled);
  EXPECT_EQ(hottest_links(stalled).find("%"), std::string::npos) << hottest_links(stalled);
  links[0].sent_bytes = 53'000;  // copies were sent when all had been acknowledged
  EXPECT_FALSE(summary_of(links).use_known);
}

TEST(HotLinks, NothingToSay) {
  EXPECT_EQ(hottest_links(summary_of(idle_links())), "");
  EXPECT_NE(describe_links(summary_of(idle_links())).find("none"), std::string::npos);
  EXPECT_EQ(describe_links({}), "");
}

TEST(Goodput, CountsWhatWasReceivedUntilTheEnd) {
  Goodput goodput;
  goodput.add(1'000, 5'000, 100);
  EXPECT_DOUBLE_EQ(*goodput.bits_per_s(9'000, false), 100 * 8e12 / 4'000) << "to the last completion";
  goodput.add(2'000, -1, 20);
  EXPECT_EQ(goodput.received_bytes(), 120u);
  EXPECT_DOUBLE_EQ(*goodput.bits_per_s(9'000, false), 120 * 8e12 / 8'000) << "to the end of the run";
  EXPECT_FALSE(goodput.bits_per_s(5'000, true)) << "a stalled run has no end";
  EXPECT_FALSE(goodput.bits_per_s(1'000, false));
  EXPECT_FALSE(Goodput().bits_per_s(1'000, false));
}

}  // namespace
}  // namespace heddle::test
