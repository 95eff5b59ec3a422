// [[fabric]]: several networks in one world, which share no switch.
#include "host/scenario/topology/other_fabric.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/base/error.hpp"
#include "host/check/errors/routes.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/parts.hpp"

namespace heddle {
namespace {

/// Six GPUs below three RTSWs; keys of both fabrics may follow.
const std::string kGpuRacks =
    "[ecn]\nenabled = false\n[topology]\nkind = \"ai_zone\"\nracks = 3\ngpus_per_rack = 2\nctsws = 2\n"
    "uplinks_per_rtsw = 2\n";
const std::string kLeafShape =
    "kind = \"two_tier\"\n[{0}topology.two_tier]\nleaves = 2\ngpus_per_leaf = 2\nspines = 1\n"
    "uplinks_per_leaf = 2\n[{0}link]\nhost_rate = \"100 Gb/s\"\n[{0}layer.leaf_spine]\n"
    "rate = \"200 Gb/s\"\n[{0}tier.leaf]\ningress = \"300 ns\"\n[{0}tier.leaf.buffer]\n"
    "bytes = \"8 MB\"\n";

std::string leaf_shape(const std::string& of) {
  std::string text = kLeafShape;
  for (size_t at = text.find("{0}"); at != std::string::npos; at = text.find("{0}")) text.replace(at, 3, of);
  return text;
}

/// Four hosts of another fabric beside the GPUs.
std::string with_frontend(const std::string& name = "frontend", const std::string& more = "") {
  return "[[fabric]]\nname = \"" + name + "\"\n" + more + "[fabric.topology]\n" + leaf_shape("fabric.");
}

World world_of_fabrics(const std::string& text) { return build_world(load_config_text(text, "fabrics.toml")); }

std::string refusal_of_fabrics(const std::string& text) {
  try {
    world_of_fabrics(text);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string message_on(const std::string& fabric, u32 src, u32 dst) {
  return "[[message]]\n" + (fabric.empty() ? "" : "fabric = \"" + fabric + "\"\n") + "src = " + std::to_string(src) +
         "\ndst = " + std::to_string(dst) + "\nbytes = \"256 KiB\"\n";
}

bool same_thresholds(const IngressProfile& a, const IngressProfile& b) {
  return a.dynamic == b.dynamic && a.xoff_bytes == b.xoff_bytes && a.xon_bytes == b.xon_bytes &&
         a.headroom_bytes == b.headroom_bytes && a.alpha_q16 == b.alpha_q16 && a.reserve_bytes == b.reserve_bytes;
}

TEST(OtherFabric, ItsHostsFollowTheGpusAndItsTiersTheirs) {
  const Fabric fabric = world_of_fabrics(kGpuRacks + with_frontend("frontend", "storage_hosts = 1\n")).fabric;
  EXPECT_EQ(fabric.endpoints, 10u);
  EXPECT_EQ(count_gpus(fabric), 6u);
  EXPECT_EQ(fabric.nodes.size(), 10u + 5 + 3);
  EXPECT_EQ(fabric.names[5], "gpu5");
  EXPECT_EQ(fabric.names[6], "frontend.cpu0");
  EXPECT_EQ(fabric.names[9], "frontend.storage0");
  EXPECT_EQ(fabric.names[10], "rtsw0");
  EXPECT_EQ(fabric.names[15], "frontend.leaf0");
  EXPECT_EQ(tier_of(fabric, NodeId{15}).name, "frontend.leaf");
  EXPECT_EQ(tier_of(fabric, NodeId{17}).name, "frontend.spine");
  EXPECT_EQ(tier_of(fabric, NodeId{17}).memory_section, "fabric.0.tier.spine.buffer");
  EXPECT_EQ(fabric.tiers.size(), 4u + 2) << "it has no cores";
  const std::vector<u32> part = parts_of_switches(fabric);
  EXPECT_EQ(part, (std::vector<u32>{0, 0, 0, 0, 0, 1, 1, 1}));
}

/// Each link has what it would have if its fabric were the only one.
TEST(OtherFabric, EveryLinkIsAsInItsFabricAlone) {
  const Fabric both = world_of_fabrics(kGpuRacks + with_frontend()).fabric, racks = world_of_fabrics(kGpuRacks).fabric,
               alone = world_of_fabrics("[ecn]\nenabled = false\n[topology]\n" + leaf_shape("")).fabric;
  const auto check = [&](const Fabric& own, NodeId node, NodeId in_both) {
    ASSERT_EQ(both.nodes[in_both].ports, own.nodes[node].ports);
    for (u32 port = 0; port < own.nodes[node].ports; ++port) {
      const Link &a = both.links[both.nodes[in_both].first_link + port],
                 &b = own.links[own.nodes[node].first_link + port];
      EXPECT_EQ(a.src, in_both);
      EXPECT_EQ(own.names[b.dst].back(), both.names[a.dst].back());
      EXPECT_EQ(a.ps_per_byte_q16, b.ps_per_byte_q16);
      EXPECT_EQ(a.lambda_ps, b.lambda_ps);
      EXPECT_EQ(a.phi_ps, b.phi_ps);
      EXPECT_EQ(both.links[a.reverse].src, a.dst);
      EXPECT_EQ(both.links[a.reverse].reverse, both.nodes[in_both].first_link + port);
      ASSERT_EQ(a.ingress == kNone, b.ingress == kNone);
      if (a.ingress == kNone) continue;
      EXPECT_TRUE(same_thresholds(both.ingress[a.ingress], own.ingress[b.ingress]));
      ASSERT_EQ(a.pool == kNone, b.pool == kNone);
      if (a.pool == kNone) continue;
      EXPECT_EQ(both.pools[a.pool].node, a.dst);
      EXPECT_EQ(both.pools[a.pool].limit_bytes, own.pools[b.pool].limit_bytes);
    }
  };
  for (NodeId n = 0; n < racks.nodes.size(); ++n) check(racks, n, n < 6 ? n : n + 4);
  for (NodeId n = 0; n < alone.nodes.size(); ++n) check(alone, n, n < 4 ? n + 6 : n + 6 + 5);
}

TEST(OtherFabric, EachRoutesByItself) {
  const World world = world_of_fabrics(kGpuRacks + with_frontend());
  EXPECT_TRUE(routing_problems(world, 9).empty()) << "none has to reach the other";
  EXPECT_EQ(hops_between(world, 0, 4), 2u);
  EXPECT_EQ(hops_between(world, 6, 9), 2u);
  EXPECT_EQ(hops_between(world, 0, 6), kNone);
}

TEST(OtherFabric, JobsAndSectionsWithoutANameAreOfTheGpus) {
  const std::string job = "[[job]]\ngpus_per_server = 2\n[[job.collective]]\nsizes = [\"1 MiB\"]\n";
  EXPECT_EQ(world_of_fabrics(kGpuRacks + with_frontend() + job).collectives.jobs[0].ranks.size(), 6u)
      << "all GPUs, no CPU";
  EXPECT_NE(refusal_of_fabrics(kGpuRacks + with_frontend() + message_on("", 0, 6))
                .find("message[0].dst: 6 does not exist; the fabric has 0 to 5"),
            std::string::npos);
  const std::string generator = "[[generator]]\nkind = \"permutation\"\n";
  EXPECT_EQ(world_of_fabrics(kGpuRacks + with_frontend() + generator).traffic.messages.size(), 6u);
  const World cpus = world_of_fabrics(kGpuRacks + with_frontend() + generator + "fabric = \"frontend\"\n");
  EXPECT_EQ(cpus.traffic.messages.size(), 4u);
  for (const Qp& qp : cpus.traffic.qps) EXPECT_TRUE(qp.src >= 6 && qp.dst >= 6);
  const World slow =
      world_of_fabrics(kGpuRacks + with_frontend() +
                       "[[slow_receiver]]\nfabric = \"frontend\"\nendpoints = [3]\ndrain_rate = \"50 Gb/s\"\n");
  EXPECT_EQ(slow.traffic.slow_receivers[0].endpoint, 9u);
}

TEST(OtherFabric, WhatDoesNotFitIsRefusedByName) {
  const auto says = [](const std::string& text, const std::string& words) {
    const std::string said = refusal_of_fabrics(text);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says(kGpuRacks + with_frontend("Front"), "fabric.0.name: \"Front\" begins names of nodes");
  says(kGpuRacks + with_frontend() + with_frontend(), "fabric.1.name: another [[fabric]] is called \"frontend\"");
  says(kGpuRacks + with_frontend("frontend", "storage_hosts = 5\n"), "fabric.0.storage_hosts = 5: it has 4 hosts");
  says(kGpuRacks + with_frontend() + with_frontend("storage") + with_frontend("management"), "and there is room for 8");
  says(kGpuRacks + "[[fabric]]\nname = \"x\"\n[fabric.topology]\nkind = \"hpcc\"\n", "\"hpcc\" is not one of star|");
  says(kGpuRacks +
           "[[fabric]]\nname = \"x\"\n[fabric.topology]\nkind = \"two_tier\"\n[fabric.topology.two_tier]\nplanes = 2\n",
       "its NICs have 2 ports and those of the first fabric 1");
  says(kGpuRacks +
           "[[fabric]]\nname = \"x\"\n[fabric.topology]\nkind = \"two_tier\"\n[fabric.topology.two_tier]\nleaves = 2\n"
           "gpus_per_leaf = 4\nspines = 3\nuplinks_per_leaf = 4\n",
       "fabric.0 (x): ");
  says(kGpuRacks + with_frontend() + message_on("storage", 0, 1),
       "message[0].fabric: no [[fabric]] is called \"storage\"; there is frontend");
  says(kGpuRacks + "[routing]\npolicy = \"explicit\"\npaths_file = \"none.csv\"\n" + with_frontend() +
           message_on("", 0, 1),
       "has a [[fabric]] beside it");
}

TEST(OtherFabric, ItsSwitchesHashAsThoseOfTheirPlace) {
  const World world =
      world_of_fabrics(kGpuRacks + "[routing.hash]\nfunction = [\"crc32\", \"xor16\", \"ideal\"]\n" + with_frontend());
  EXPECT_EQ(world.routing.hash.of_tier[4].function, HashFunction::crc32) << "its leaves as RTSWs";
  EXPECT_EQ(world.routing.hash.of_tier[5].function, HashFunction::xor16);
}

TEST(OtherFabric, APolicyOfItsOwnBringsItsSettings) {
  const World world = world_of_fabrics(kGpuRacks + "[routing.flowlet]\ngap = \"7 us\"\n" + with_frontend() +
                                       "[fabric.tier.spine]\npolicy = \"flowlet\"\n");
  EXPECT_EQ(world.routing.policy[4], "ecmp");
  EXPECT_EQ(world.routing.policy[5], "flowlet");
  EXPECT_EQ(world.routing.parameters.at("flowlet.gap"), 7'000'000);
}

}  // namespace
}  // namespace heddle
