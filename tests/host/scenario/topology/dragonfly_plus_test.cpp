// Counts, global links and ways of dragonfly+ fabrics, and dimensions that none has.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "host/base/error.hpp"
#include "host/check/report.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using testing_worlds::config_error_of;
using testing_worlds::nodes_of;

World dragonfly(const std::string& dimensions) {
  return build_world(
      load_config_text("[topology]\nkind = \"dragonfly_plus\"\n[topology.dragonfly_plus]\n" + dimensions +
                           "[layer.spine_spine]\nrate = \"200 Gb/s\"\n[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
                       "dragonfly.toml"));
}

/// k/2 of everything: the largest has (k/2)^2 + 1 groups, of which two share one cable.
std::string of_radix(u32 k, u32 groups) {
  const std::string half = " = " + std::to_string(k / 2) + "\n";
  return "groups = " + std::to_string(groups) + "\nleaves" + half + "gpus_per_leaf" + half + "spines" + half +
         "uplinks_per_leaf" + half + "global_links_per_spine" + half;
}

/// {pair of groups: their cables}
std::map<std::pair<u32, u32>, u32> global_links(const World& world, u32 spines_of_a_group) {
  const Fabric& f = world.fabric;
  NodeId first = f.endpoints;
  while (f.nodes[first].tier != kSpine) ++first;
  std::map<std::pair<u32, u32>, u32> cables;
  for (const Link& link : f.links) {
    if (f.nodes[link.src].tier != kSpine || f.nodes[link.dst].tier != kSpine || link.src > link.dst) continue;
    ++cables[{(link.src - first) / spines_of_a_group, (link.dst - first) / spines_of_a_group}];
    EXPECT_EQ(link.ps_per_byte_q16, 40u << 16);
  }
  return cables;
}

TEST(DragonflyPlus, OfRadixK) {
  for (const u32 k : {4u, 8u}) {
    const u32 half = k / 2, groups = half * half + 1;
    const World world = dragonfly(of_radix(k, groups));
    EXPECT_EQ(world.fabric.endpoints, groups * k * k / 4);
    EXPECT_EQ(nodes_of(world).at(kLeaf), groups * half);
    EXPECT_EQ(nodes_of(world).at(kSpine), groups * half);
    for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n)
      EXPECT_EQ(world.fabric.nodes[n].ports, k) << world.fabric.names[n];
    const auto cables = global_links(world, half);
    EXPECT_EQ(cables.size(), groups * (groups - 1) / 2) << "every two groups are joined";
    for (const auto& [pair, count] : cables) EXPECT_EQ(count, 1u);
  }
}

TEST(DragonflyPlus, FewerGroupsShareMoreCables) {
  for (const auto& [pair, count] : global_links(dragonfly(of_radix(8, 5)), 4)) EXPECT_EQ(count, 4u);
  EXPECT_TRUE(global_links(dragonfly(of_radix(8, 1)), 4).empty()) << "one group has no others";
}

/// Leaf, spine, spine of the other group, leaf: the leaf sends only to spines that are joined with that group.
TEST(DragonflyPlus, WaysAreUpAcrossAndDown) {
  const World world = dragonfly(of_radix(4, 5));
  const Fabric& f = world.fabric;
  const auto next = [&](NodeId at, EndpointId dst) {
    std::set<NodeId> nodes;
    for (const u16 port : world.routing.next_hops(at, world.routing.group_of[dst], 0))
      nodes.insert(f.links[f.nodes[at].first_link + port].dst);
    return nodes;
  };
  for (EndpointId dst = 4; dst < f.endpoints; ++dst) {
    const NodeId leaf = f.endpoints;
    const std::set<NodeId> up = next(leaf, dst);
    ASSERT_EQ(up.size(), 1u);
    const std::set<NodeId> across = next(*up.begin(), dst);
    ASSERT_EQ(across.size(), 1u);
    EXPECT_EQ(f.nodes[*across.begin()].tier, kSpine);
    const std::set<NodeId> down = next(*across.begin(), dst);
    ASSERT_EQ(down.size(), 1u);
    EXPECT_EQ(f.nodes[*down.begin()].tier, kLeaf);
  }
  const CheckReport report = check_world(world);
  for (const std::string& warning : report.warnings) EXPECT_EQ(warning.find("deadlock"), std::string::npos) << warning;
}

/// 3 groups of 2 leaves and 2 spines, with `links` global links a spine, whose spines are adaptive.
std::string adaptive(u32 groups, u32 links, const std::string& policy = "policy = \"adaptive\"\n") {
  return "groups = " + std::to_string(groups) + "\nleaves = 2\ngpus_per_leaf = 2\nspines = 2\nuplinks_per_leaf = 2\n" +
         "global_links_per_spine = " + std::to_string(links) + "\n[tier.spine]\n" + policy +
         "[routing.adaptive]\ndetours = \"when_shorter\"\n";
}

TEST(DragonflyPlus, DetoursHaveAClassLikeTheLosslessOne) {
  const World world = dragonfly(adaptive(3, 2));
  EXPECT_EQ(world.routing.detour_class, kDetourClass);
  ASSERT_EQ(world.fabric.classes.size(), kDetourClass + 1u);
  const TrafficClass &own = world.fabric.classes[kDetouredClass], &detour = world.fabric.classes[kDetourClass];
  EXPECT_EQ(detour.pfc, own.pfc);
  EXPECT_EQ(detour.ecn, own.ecn);
  EXPECT_EQ(detour.weight, own.weight);
  const CheckReport report = check_world(world);
  EXPECT_NE(report.text.find("detours lead through a third group"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("all else is up-down"), std::string::npos) << report.text;
}

TEST(DragonflyPlus, WithoutDetoursThereIsNoSuchClass) {
  std::string never = adaptive(3, 2);
  never.replace(never.find("when_shorter"), 12, "never");
  const World world = dragonfly(never);
  EXPECT_EQ(world.routing.detour_class, 0u);
  EXPECT_EQ(world.fabric.classes.size(), 3u);
}

TEST(DragonflyPlus, DetoursThatWouldCloseCyclesAreRefused) {
  const auto expect = [](const std::string& dimensions, const std::string& what) {
    const std::string refusal = config_error_of([&] { dragonfly(dimensions); });
    EXPECT_NE(refusal.find(what), std::string::npos) << refusal;
  };
  expect(adaptive(2, 2), "leads through a third group, and topology.dragonfly_plus.groups = 2");
  expect(adaptive(5, 2), "global_links_per_spine = 2, and there are 4 other groups");
  expect(adaptive(3, 2100), "a spine of topology.dragonfly_plus has 2102");
  expect(adaptive(3, 2) + "[[fabric]]\nname = \"frontend\"\n[fabric.topology]\nkind = \"torus\"\n",
         "fabric \"frontend\" has topology.kind = \"torus\"");
  expect(adaptive(3, 2, "policy = \"spray\"\n[tier.leaf]\npolicy = \"adaptive\"\n"), "their policy is \"spray\"");
  const std::string tree = config_error_of([] {
    build_world(
        load_config_text("[topology]\nkind = \"two_tier\"\n[routing]\npolicy = \"adaptive\"\n[routing.adaptive]\n"
                         "detours = \"when_shorter\"\n",
                         "tree.toml"));
  });
  EXPECT_NE(tree.find("topology.kind = \"dragonfly_plus\"; here it is \"two_tier\""), std::string::npos) << tree;
}

TEST(DragonflyPlus, WhatCannotBeDividedIsRefused) {
  const auto refusal = [](const std::string& text) { return config_error_of([&] { dragonfly(text); }); };
  EXPECT_NE(refusal(of_radix(8, 4))
                .find("the 16 global links of a group (4 spines) cannot be divided evenly over 3 other "
                      "groups; take a multiple of 3"),
            std::string::npos)
      << refusal(of_radix(8, 4));
  EXPECT_NE(refusal("groups = 4096\nspines = 4095\nglobal_links_per_spine = 4095\nleaves = 1\nuplinks_per_leaf = 4095\n"
                    "gpus_per_leaf = 1\n")
                .find("global links alone are more cables than can be held"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
