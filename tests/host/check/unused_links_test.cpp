// Links that path pinning can never choose, and that runs leave them idle.
#include "host/check/unused_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/build.hpp"
#include "host/check/warnings.hpp"
#include "kernels/engine/engine.hpp"

namespace heddle {
namespace {

/// 3 racks; all GPUs send to all others.
World zone(const char* policy, u32 gpus_per_rack, u32 uplinks) {
  return build_world(load_config_text(
      "[dcqcn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 3\nctsws = " + std::to_string(uplinks) +
          "\ngpus_per_rack = " + std::to_string(gpus_per_rack) + "\nuplinks_per_rtsw = " + std::to_string(uplinks) +
          "\n[routing]\npolicy = \"" + policy +
          "\"\n[[job]]\ngpus_per_server = 2\n[[job.collective]]\n"
          "kind = \"all_to_all\"\nsizes = [\"64 KiB\"]\n",
      "test.toml"));
}

TEST(UnusedLinks, AreUplinksBeyondTheGpusOfARack) {
  EXPECT_EQ(links_without_downlink(zone("path_pinning", 4, 6)).size(), 6u) << "2 of each RTSW";
  EXPECT_TRUE(links_without_downlink(zone("path_pinning", 6, 6)).empty());
  EXPECT_TRUE(links_without_downlink(zone("path_pinning", 8, 6)).empty());
  EXPECT_TRUE(links_without_downlink(zone("ecmp", 4, 6)).empty());
}

TEST(UnusedLinks, AreTheIdleUplinksOfARun) {
  const World world = zone("path_pinning", 4, 6);
  Engine engine(world, {.memory_limit_bytes = u64{256} << 20});
  while (engine.advance(kNever)) {
  }
  std::vector<LinkCounters> counters(world.fabric.links.size());
  engine.link_counters(counters);
  std::vector<LinkId> idle;
  for (LinkId l = 0; l < counters.size(); ++l) {
    if (world.fabric.nodes[world.fabric.links[l].src].tier == Tier::rtsw && counters[l].sent_bytes == 0)
      idle.push_back(l);
  }
  EXPECT_EQ(links_without_downlink(world), idle);
}

TEST(UnusedLinks, AWarningCountsThemAndNamesOne) {
  const auto found = [](const World& world) {
    const std::vector<std::string> all = warnings_of(world);
    return std::ranges::find_if(all, [](const std::string& w) { return w.find("can never be chosen") != w.npos; }) !=
           all.end();
  };
  EXPECT_TRUE(found(zone("path_pinning", 4, 6)));
  EXPECT_FALSE(found(zone("path_pinning", 6, 6)));
  const std::string warning = warning_of_unused_links(zone("path_pinning", 4, 6));
  for (const char* part : {"path_pinning: 6 links", "e.g. rtsw0 -> ctsw4", "topology.uplinks_per_rtsw"})
    EXPECT_NE(warning.find(part), std::string::npos) << part << " in: " << warning;
}

}  // namespace
}  // namespace heddle
