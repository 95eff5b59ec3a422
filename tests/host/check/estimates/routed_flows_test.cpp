// Flows that are routed over links, against the traffic on them.
#include "host/check/estimates/routed_flows.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

constexpr u32 kSenders = 8, kMessages = 3;  // per sender

/// Every GPU of one rack sends to a GPU of another, so that uplinks of the first carry only data.
World rack_to_rack(const std::string& policy) {
  std::string text = "[dcqcn]\nenabled = false\n[routing]\npolicy = \"" + policy +
                     "\"\n[workload]\nqps_per_pair = 2\n"
                     "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 8\nctsws = 4\nuplinks_per_rtsw = 8\n";
  for (u32 i = 0; i < kSenders * kMessages; ++i) {
    const u32 src = i % kSenders;
    text += "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(8 + (src * 3) % 8) +
            "\nbytes = \"4 KiB\"\n";
  }
  return build_world(text, "test.toml");
}

std::vector<LinkOutcome> links_of_run(const World& world) {
  Engine engine(world, {.memory_limit_bytes = u64{64} << 20});
  while (engine.advance(kNever)) {
  }
  const Outcome outcome = engine.outcome();
  EXPECT_EQ(outcome.reason, EndReason::complete);
  EXPECT_EQ(outcome.totals.retransmits, 0u);
  return outcome.links;
}

TEST(RoutedFlows, AreThoseThatGoOverALink) {
  for (const char* policy : {"ecmp", "e_ecmp", "path_pinning"}) {
    const World world = rack_to_rack(policy);
    const std::vector<RoutedFlows> routed = routed_flows(world);
    const std::vector<LinkOutcome> links = links_of_run(world);
    ASSERT_EQ(routed.size(), links.size());
    ASSERT_EQ(routed[0], (RoutedFlows{2, kMessages})) << "the first GPU's NIC";
    const u64 message_bytes = links[0].sent_bytes / kMessages;
    RoutedFlows up;
    u32 unused = 0;
    for (LinkId l = 0; l < links.size(); ++l) {
      const Node& src = world.fabric.nodes[world.fabric.links[l].src];
      if (&src != &world.fabric.nodes[world.fabric.endpoints] || world.fabric.links[l].dst < world.fabric.endpoints)
        continue;
      EXPECT_EQ(routed[l].messages * message_bytes, links[l].sent_bytes) << policy << ", link " << l;
      EXPECT_EQ(routed[l].qps == 0, links[l].packets == 0) << policy << ", link " << l;
      up.qps += routed[l].qps;
      up.messages += routed[l].messages;
      unused += routed[l].qps == 0;
    }
    EXPECT_EQ(up, (RoutedFlows{2 * kSenders, kSenders * kMessages})) << policy << ": every flow takes one uplink";
    if (std::string(policy) == "ecmp") {
      EXPECT_GT(unused, 0u);
    }
  }
}

TEST(RoutedFlows, MayTakeAllNextHopsWhereAPolicyDividesThem) {
  for (const PolicyInfo& info : routing_policies()) {
    if (!info.multipath) continue;
    const std::string policy(info.name);
    const World world = rack_to_rack(policy);
    const std::vector<RoutedFlows> routed = routed_flows(world);
    const Node& rtsw = world.fabric.nodes[world.fabric.endpoints];
    for (u32 p = 0; p < rtsw.ports; ++p) {
      const LinkId l = rtsw.first_link + p;
      if (world.fabric.links[l].dst < world.fabric.endpoints) continue;
      EXPECT_EQ(routed[l], (RoutedFlows{2 * kSenders, kSenders * kMessages})) << policy << ", port " << p;
    }
  }
}

TEST(RoutedFlows, OfRingsAreTheirQueuePairs) {
  const World world = build_world(
      "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 8\nctsws = 2\nuplinks_per_rtsw = 2\n"
      "[[job]]\ngpus = 16\n[[job.collective]]\nkind = \"all_reduce\"\nsizes = [\"1 MiB\"]\n",
      "test.toml");
  const std::vector<RoutedFlows> routed = routed_flows(world);
  u64 nics = 0;
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) nics += routed[world.fabric.nodes[e].first_link].qps;
  EXPECT_EQ(nics, world.traffic.qps.size());
  EXPECT_GT(nics, 0u);
}

TEST(RoutedFlows, AreNotKnownOfAllToAllsInClosedForm) {
  const World world = build_world(
      "[topology]\nkind = \"ai_zone\"\nracks = 2\ngpus_per_rack = 8\nctsws = 2\nuplinks_per_rtsw = 2\n"
      "[[job]]\ngpus = 16\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n",
      "test.toml");
  EXPECT_TRUE(routed_flows(world).empty());
}

}  // namespace
}  // namespace heddle
