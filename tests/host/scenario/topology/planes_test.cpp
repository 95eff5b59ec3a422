// NICs with several ports: which leaf of which plane each port hangs on, counts of presets, and what is refused.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using testing_worlds::nodes_of;

World planes_of(const std::string& kind, const std::string& dimensions, const std::string& more = "") {
  return build_world(load_config_text("[topology]\nkind = \"" + kind + "\"\n[topology." + kind + "]\n" + dimensions +
                                          more + "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n",
                                      "planes.toml"));
}

/// The name of the switch on which port p of an endpoint hangs.
std::string leaf_of(const World& world, EndpointId endpoint, u32 port) {
  return world.fabric.names[world.routing.attach_switch[address_of(world.fabric, endpoint, port)]];
}

std::string refusal(const std::string& kind, const std::string& dimensions, const std::string& more = "") {
  try {
    planes_of(kind, dimensions, more);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Planes, APortHangsOnItsPlane) {
  const World world =
      planes_of("two_tier", "planes = 3\nleaves = 2\ngpus_per_leaf = 4\nspines = 2\nuplinks_per_leaf = 4\n");
  ASSERT_EQ(world.fabric.endpoints, 8u);
  EXPECT_EQ(world.fabric.nic_ports, 3u);
  std::map<Tier, u32> nodes = nodes_of(world);
  EXPECT_EQ(nodes[kLeaf], 6u);
  EXPECT_EQ(nodes[kSpine], 6u);
  for (EndpointId e = 0; e < 8; ++e) {
    for (u32 p = 0; p < 3; ++p)
      EXPECT_EQ(leaf_of(world, e, p), "plane" + std::to_string(p) + "_leaf" + std::to_string(e / 4));
  }
  for (NodeId n = 8; n < world.fabric.nodes.size(); ++n) EXPECT_EQ(world.fabric.nodes[n].ports, n < 14 ? 8u : 4u);
}

TEST(Planes, PlanesShareNoSwitch) {
  const World world =
      planes_of("two_tier", "planes = 2\nleaves = 2\ngpus_per_leaf = 2\nspines = 1\nuplinks_per_leaf = 1\n");
  const Fabric& fabric = world.fabric;
  for (const Link& link : fabric.links) {
    if (link.src < fabric.endpoints || link.dst < fabric.endpoints) continue;
    EXPECT_EQ(fabric.names[link.src].substr(0, 6), fabric.names[link.dst].substr(0, 6));
  }
  const u32 other_rack = address_of(fabric, 3, 0);
  const NodeId own = world.routing.attach_switch[address_of(fabric, 0, 0)];
  EXPECT_EQ(world.routing.next_hops(own, world.routing.group_of[other_rack]).size(), 1u);
  EXPECT_TRUE(world.routing.next_hops(own, world.routing.group_of[other_rack + 1]).empty()) << "another plane's";
}

TEST(Planes, DualTorHasALeafForEachPort) {
  const World world = planes_of(
      "rail_optimised", "units = 1\nservers = 2\nrails = 2\nleaves_per_nic = 2\nspines = 1\nuplinks_per_leaf = 1\n");
  EXPECT_EQ(world.fabric.nic_ports, 2u);
  EXPECT_EQ(nodes_of(world)[kLeaf], 4u);
  for (EndpointId e = 0; e < 4; ++e) {
    for (u32 p = 0; p < 2; ++p) EXPECT_EQ(leaf_of(world, e, p), "leaf" + std::to_string(e % 2 * 2 + p));
  }
  const World fat = planes_of("fat_tree", "radix = 4\nleaves_per_nic = 2\nplanes = 2\n");
  EXPECT_EQ(fat.fabric.nic_ports, 4u);
  EXPECT_EQ(fat.fabric.endpoints, 8u) << "each has two of a pod's four ports down, in each plane";
  EXPECT_EQ(leaf_of(fat, 2, 3), "plane1_leaf3");
}

/// HPN 7.0: a pod of 15 segments; and 65,536 GPUs of two ports on 102.4T chips.
TEST(Planes, HaveTheCountsOfPublishedFabrics) {
  const World hpn = planes_of("rail_optimised",
                              "units = 15\nservers = 128\nrails = 8\nplanes = 2\nspines = 60\nuplinks_per_leaf = 60\n");
  std::map<Tier, u32> nodes = nodes_of(hpn);
  EXPECT_EQ(hpn.fabric.endpoints, 15360u);
  EXPECT_EQ(nodes[kLeaf], 2 * 15u * 8);
  EXPECT_EQ(nodes[kSpine], 2 * 60u);
  for (NodeId n = hpn.fabric.endpoints; n < hpn.fabric.nodes.size(); ++n)
    ASSERT_EQ(hpn.fabric.nodes[n].ports, hpn.fabric.nodes[n].tier == kLeaf ? 128u + 60 : 120u);

  const World two =
      planes_of("two_tier", "planes = 2\nleaves = 256\ngpus_per_leaf = 256\nspines = 128\nuplinks_per_leaf = 256\n",
                "[link]\nhost_rate = '200 Gb/s'\n[layer.leaf_spine]\nrate = '200 Gb/s'\n");
  nodes = nodes_of(two);
  EXPECT_EQ(two.fabric.endpoints, 65536u);
  EXPECT_EQ(nodes[kLeaf], 512u);
  EXPECT_EQ(nodes[kSpine], 256u);
  for (NodeId n = two.fabric.endpoints; n < two.fabric.nodes.size(); ++n) ASSERT_EQ(two.fabric.nodes[n].ports, 512u);
}

/// Also where the rate of a port is not a whole number of ps/B in Q16, as of 300 and 700 Gb/s.
TEST(Planes, ASlowReceiverDrainsAtMostTheSumOfItsPorts) {
  for (const u64 gb_per_s : {100, 300, 400, 700}) {
    for (const u64 planes : {1, 2, 3, 7, 8}) {
      const auto refusal_at = [&](u64 drain_bits_per_s) {
        return refusal("two_tier",
                       "planes = " + std::to_string(planes) +
                           "\nleaves = 1\ngpus_per_leaf = 2\nspines = 1\nuplinks_per_leaf = 1\n",
                       "[link]\nhost_rate = \"" + std::to_string(gb_per_s) +
                           " Gb/s\"\n[[slow_receiver]]\nendpoints = [1]\ndrain_rate = \"" +
                           std::to_string(drain_bits_per_s) + " b/s\"\n");
      };
      const u64 sum_bits_per_s = gb_per_s * 1'000'000'000 * planes;
      EXPECT_EQ(refusal_at(sum_bits_per_s), "") << planes << " ports of " << gb_per_s << " Gb/s";
      EXPECT_NE(refusal_at(sum_bits_per_s + sum_bits_per_s / 1000).find("at most at its line rate"), std::string::npos)
          << planes << " ports of " << gb_per_s << " Gb/s";
    }
  }
}

TEST(Planes, ImpossiblePortsAreRefused) {
  const std::string small = "leaves = 4\ngpus_per_leaf = 2\nspines = 1\nuplinks_per_leaf = 1\n";
  EXPECT_NE(refusal("two_tier", small + "planes = 3\nleaves_per_nic = 4\n").find("a NIC has at most 8"),
            std::string::npos);
  EXPECT_NE(refusal("two_tier", small + "leaves_per_nic = 3\n").find("a NIC has a port on each of so many leaves"),
            std::string::npos);
  EXPECT_NE(refusal("two_tier", "planes = 8\nleaves = 4096\ngpus_per_leaf = 64\n").find("a packet can address 1048576"),
            std::string::npos);
  EXPECT_NE(refusal("two_tier", small + "planes = 2\n", "[routing]\npolicy = 'traffic_engineering'\n")
                .find("traffic_engineering plans one path for each NIC"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
