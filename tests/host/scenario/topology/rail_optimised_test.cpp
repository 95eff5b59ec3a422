// Units of rails: which switch a NIC hangs on, and the counts of NVIDIA's DGX SuperPODs.
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

World rails(const std::string& dimensions, const std::string& more = "[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n") {
  return build_world(load_config_text(
      "[topology]\nkind = \"rail_optimised\"\n[topology.rail_optimised]\n" + dimensions + more, "rails.toml"));
}

TEST(RailOptimised, ANicHangsOnTheLeafOfItsUnitAndRail) {
  const World world = rails("units = 3\nservers = 2\nrails = 4\nspines = 2\nuplinks_per_leaf = 2\n");
  ASSERT_EQ(world.fabric.endpoints, 24u);
  for (EndpointId gpu = 0; gpu < 24; ++gpu) {
    const u32 server = gpu / 4, unit = server / 2;
    EXPECT_EQ(world.fabric.names[world.routing.attach_switch[gpu]], "leaf" + std::to_string(4 * unit + gpu % 4));
  }
  EXPECT_EQ(world.fabric.nodes[24].ports, 2u + 2);  // a leaf: its unit's servers, and uplinks
  EXPECT_EQ(world.fabric.nodes.back().ports, 12u);  // a spine: a cable to each leaf
}

/// NVIDIA's tables of servers, leaves, spines and cores: units of 32 servers, four of them a pod above 256 servers.
TEST(RailOptimised, HasTheCountsOfSuperPods) {
  struct Row {
    u32 servers, leaves, spines, cores;
    std::string dimensions;
  };
  const auto pods = [](u32 count) {
    return "pods = " + std::to_string(count) + "\nunits = 4\nspines = 32\ncores = " + std::to_string(16 * count) + "\n";
  };
  for (const Row& row : {Row{64, 16, 8, 0, "units = 2\nspines = 8\n"}, Row{128, 32, 16, 0, "units = 4\nspines = 16\n"},
                         Row{256, 64, 32, 0, "units = 8\nspines = 32\n"}, Row{512, 128, 128, 64, pods(4)},
                         Row{1024, 256, 256, 128, pods(8)}, Row{2048, 512, 512, 256, pods(16)}}) {
    const World world = rails(row.dimensions);
    std::map<Tier, u32> nodes = nodes_of(world);
    EXPECT_EQ(world.fabric.endpoints, 8 * row.servers);
    EXPECT_EQ(nodes[kLeaf], row.leaves);
    EXPECT_EQ(nodes[kSpine], row.spines);
    EXPECT_EQ(nodes[kCore], row.cores);
    for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n)
      ASSERT_EQ(world.fabric.nodes[n].ports, 64u) << row.servers << " servers: " << world.fabric.names[n];
  }
}

TEST(RailOptimised, JobsHaveItsServers) {
  const std::string two = "units = 1\nservers = 4\nrails = 2\nspines = 2\nuplinks_per_leaf = 2\n";
  const std::string job = "[[job]]\ngpus = 8\ngpus_per_server = ";
  const std::string collective = "\n[[job.collective]]\nsizes = [\"1 MiB\"]\n";
  EXPECT_EQ(rails(two, job + "2" + collective).fabric.nics_per_server, 2u);
  try {
    rails(two, job + "4" + collective);
    FAIL() << "servers of four on two rails";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("job[0].gpus_per_server = 4: the servers of this fabric have 2 NICs"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heddle
