// Links that path pinning can never choose, which runs leave idle.
#include "host/check/warnings/unused_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/check/warnings/warnings.hpp"
#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

/// 3 racks; all GPUs send to all others.
World zone(const char* policy, u32 gpus_per_rack, u32 uplinks, u32 spines = 0) {
  return build_world("[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 3\nctsws = " +
                         std::to_string(spines == 0 ? uplinks : spines) +
                         "\ngpus_per_rack = " + std::to_string(gpus_per_rack) +
                         "\nuplinks_per_rtsw = " + std::to_string(uplinks) + "\n[routing]\npolicy = \"" + policy +
                         "\"\n[[job]]\ngpus_per_server = 2\n[[job.collective]]\n"
                         "kind = \"all_to_all\"\nsizes = [\"64 KiB\"]\n",
                     "test.toml");
}

/// Links between switches that sent nothing in a run of `world`.
std::vector<LinkId> idle_links(const World& world) {
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  while (engine.advance(kNever)) {
  }
  std::vector<LinkCounters> counters(world.fabric.links.size());
  engine.link_counters(counters);
  std::vector<LinkId> idle;
  for (LinkId l = 0; l < counters.size(); ++l) {
    const Link& link = world.fabric.links[l];
    if (link.src >= world.fabric.endpoints && link.dst >= world.fabric.endpoints && counters[l].sent_bytes == 0)
      idle.push_back(l);
  }
  return idle;
}

TEST(UnusedLinks, AreUplinksBeyondTheGpusOfARackAndWhatLeadsFromThere) {
  EXPECT_EQ(links_no_flow_can_take(zone("path_pinning", 4, 6)).size(), 12u) << "2 of each RTSW, and back";
  EXPECT_TRUE(links_no_flow_can_take(zone("path_pinning", 6, 6)).empty());
  EXPECT_TRUE(links_no_flow_can_take(zone("path_pinning", 8, 6)).empty());
  EXPECT_TRUE(links_no_flow_can_take(zone("ecmp", 4, 6)).empty());
}

TEST(UnusedLinks, AreTheIdleLinksOfARun) {
  const World world = zone("path_pinning", 4, 6);
  EXPECT_EQ(links_no_flow_can_take(world), idle_links(world));
}

/// All parallel cables carry traffic, on their way up and down, where racks have as many uplinks as GPUs.
TEST(UnusedLinks, AreNoParallelCables) {
  for (const u32 spines : {1, 2, 3, 6}) {
    const World world = zone("path_pinning", 6, 6, spines);
    EXPECT_TRUE(links_no_flow_can_take(world).empty()) << spines;
    EXPECT_TRUE(idle_links(world).empty()) << spines;
  }
  const World uneven = zone("path_pinning", 6, 6, 4);  // racks begin with different spines
  EXPECT_EQ(links_no_flow_can_take(uneven), idle_links(uneven));
}

/// A spine receives the destinations of one index and sends them up by that index again.
TEST(UnusedLinks, AreUplinksOfSpinesThatTheirOwnDestinationsDoNotName) {
  const char* const kTwoZones =
      "[dcqcn]\nenabled = false\n[topology]\nkind = \"multi_zone\"\nzones = 2\nracks = 2\nctsws = 4\n"
      "gpus_per_rack = 4\nuplinks_per_rtsw = 4\natsws = 4\nuplinks_per_ctsw = 4\n"
      "[routing]\npolicy = \"path_pinning\"\n[[job]]\ngpus_per_server = 1\n[[job.collective]]\n"
      "kind = \"all_to_all\"\nsizes = [\"64 KiB\"]\n";
  const World world = build_world(kTwoZones, "test.toml");
  EXPECT_EQ(links_no_flow_can_take(world), idle_links(world));
  const std::string warning = warning_of_unused_links(world);
  for (const char* part : {"24 of 32 CTSW -> ATSW links", "24 of 32 ATSW -> CTSW links", "routing.ctsw"})
    EXPECT_NE(warning.find(part), std::string::npos) << part << " in: " << warning;
}

TEST(UnusedLinks, AWarningCountsThemAndNamesOne) {
  const auto found = [](const World& world) {
    const std::vector<std::string> all = warnings_of(world);
    return std::ranges::any_of(all, [](const std::string& w) { return w.find("no packet can take") != w.npos; });
  };
  EXPECT_TRUE(found(zone("path_pinning", 4, 6)));
  EXPECT_FALSE(found(zone("path_pinning", 6, 6)));
  const std::string warning = warning_of_unused_links(zone("path_pinning", 4, 6));
  for (const char* part : {"path_pinning: no packet can take 6 of 18 RTSW -> CTSW links (e.g. rtsw0 -> ctsw4",
                           "6 of 18 CTSW -> RTSW links", "topology.uplinks_per_rtsw"})
    EXPECT_NE(warning.find(part), std::string::npos) << part << " in: " << warning;
}

}  // namespace
}  // namespace heddle
