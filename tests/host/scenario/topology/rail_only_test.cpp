// Rails with nothing between them: who reaches whom, and what is said of traffic that cannot.
#include <gtest/gtest.h>

#include <string>

#include "host/base/error.hpp"
#include "host/check/errors/routes.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/parts.hpp"
#include "host/scenario/topology/tier_options.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

/// Two rails of two leaves with two servers each: GPU e is on rail e % 2.
World two_rails(const std::string& traffic) {
  return build_world(
      load_config_text("[topology]\nkind = \"rail_only\"\n[topology.rail_only]\nrails = 2\nleaves = 2\n"
                       "servers = 2\nspines = 1\nuplinks_per_leaf = 2\n" +
                           traffic,
                       "rail_only.toml"));
}

std::string message(u32 src, u32 dst) {
  return "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = 4096\n";
}

std::string refusal(const std::string& traffic) {
  try {
    two_rails(traffic);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(RailOnly, RailsShareNoSwitch) {
  const World world = two_rails(message(0, 4));
  EXPECT_EQ(world.fabric.endpoints, 8u);
  EXPECT_EQ(world.fabric.nics_per_server, 2u);
  EXPECT_EQ(testing_worlds::nodes_of(world)[kSpine], 2u);
  const std::vector<u32> part = parts_of_switches(world.fabric);
  for (EndpointId e = 0; e < 8; ++e) EXPECT_EQ(part[world.routing.attach_switch[e] - 8], e % 2);
  EXPECT_TRUE(routing_problems(world, 9).empty()) << "of separate parts none has to reach the other";
  EXPECT_EQ(hops_between(world, 0, 4), 2u);
  EXPECT_EQ(hops_between(world, 0, 1), kNone);
}

TEST(RailOnly, TrafficBetweenRailsIsRefused) {
  EXPECT_EQ(refusal(message(1, 7)), "");
  const std::string said = refusal(message(1, 6));
  EXPECT_NE(said.find("gpu1 sends to gpu6 over the network, but no switches join leaf2 and leaf1"), std::string::npos)
      << said;
  EXPECT_NE(said.find("nothing can get there. Take a fabric with spines"), std::string::npos) << "no job to advise";
  const std::string job = "[[job]]\ngpus = 8\ngpus_per_server = 2\n";
  const std::string all_to_all = "[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n";
  EXPECT_NE(refusal(job + all_to_all).find("set job.pxn = true"), std::string::npos) << "in closed form";
  EXPECT_EQ(refusal(job + "pxn = true\n" + all_to_all), "") << "NVLink brings everything to its rail";
  EXPECT_EQ(refusal(job + "algorithm = \"hierarchical\"\n" + all_to_all), "");
}

TEST(RailOnly, RingsAndTreesStayOnTheirRails) {
  const auto all_reduce = [](const std::string& options) {
    return refusal("[[job]]\ngpus = 8\ngpus_per_server = 2\n" + options + "[[job.collective]]\nsizes = [\"1 MiB\"]\n");
  };
  for (const char* algorithm : {"hierarchical", "ring", "tree", "auto"})
    EXPECT_EQ(all_reduce("algorithm = \"" + std::string(algorithm) + "\"\n"), "") << algorithm;
  EXPECT_NE(all_reduce("cross_nic = \"yes\"\n").find("set job.cross_nic = \"no\""), std::string::npos);
}

}  // namespace
}  // namespace heddle
