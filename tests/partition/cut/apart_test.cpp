// What hangs together: never too little, and not everything.
#include "partition/cut/apart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/partition/cut/graphs.hpp"

namespace heddle {
namespace {

std::string job(u32 first, u32 gpus, const std::string& kind = "all_gather") {
  return "[[job]]\ngpus_per_server = 1\nfirst_gpu = " + std::to_string(first) + "\ngpus = " + std::to_string(gpus) +
         "\n[[job.collective]]\nkind = \"" + kind + "\"\nsizes = [\"64 KiB\"]\n";
}

std::string message(u32 src, u32 dst) {
  return "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = 1000\n";
}

World world_with(const std::string& work) { return world_of_text(kTwoZoneFabric + work); }

/// The component of a node by its name.
u32 component(const Components& components, const World& world, const std::string& name) {
  const auto& names = world.fabric.names;
  const auto at = std::ranges::find(names, name);
  EXPECT_NE(at, names.end()) << name;
  return components.of_node[static_cast<std::size_t>(at - names.begin())];
}

TEST(Apart, JobsInTheirRacksLeaveAllElseToNobody) {
  const World world = world_with(job(0, 4) + job(8, 4));
  const Components components = components_of(world);
  ASSERT_EQ(components.count, 2u);
  EXPECT_EQ(components.endpoints, (std::vector<u32>{4, 4}));
  EXPECT_EQ(component(components, world, "gpu3"), 0u);
  EXPECT_EQ(component(components, world, "gpu8"), 1u);
  EXPECT_EQ(component(components, world, "gpu4"), kNone);
  EXPECT_EQ(component(components, world, "rtsw0"), 0u);
  EXPECT_EQ(component(components, world, "rtsw2"), 1u);
  EXPECT_EQ(component(components, world, "ctsw0"), kNone);
}

TEST(Apart, JobsOfTwoZonesHaveTheSwitchesOfTheirs) {
  const World world = world_with(job(0, 16) + job(16, 16, "all_to_all"));
  const Components components = components_of(world);
  ASSERT_EQ(components.count, 2u);
  EXPECT_EQ(component(components, world, "ctsw1"), 0u);
  EXPECT_EQ(component(components, world, "ctsw2"), 1u);
  EXPECT_EQ(component(components, world, "atsw0"), kNone);
}

TEST(Apart, JobsThatShareSpinesHangTogether) { EXPECT_EQ(components_of(world_with(job(0, 8) + job(8, 8))).count, 1u); }

TEST(Apart, GpusOfOneRackHangTogether) { EXPECT_EQ(components_of(world_with(job(0, 2) + job(2, 2))).count, 1u); }

TEST(Apart, AMessageJoinsAllThatItMayPass) {
  const World world = world_with(job(0, 4) + job(8, 4) + job(16, 4) + message(1, 17));
  const Components components = components_of(world);
  ASSERT_EQ(components.count, 2u);
  for (const char* name : {"gpu16", "ctsw0", "ctsw1", "ctsw2", "ctsw3", "atsw0", "atsw1"})
    EXPECT_EQ(component(components, world, name), 0u) << name;
  EXPECT_EQ(component(components, world, "gpu9"), 1u);
}

TEST(Apart, GivenPathsJoinWhatTheyPass) {
  World world = world_with(message(0, 1) + message(8, 9));
  Routing& r = world.routing;
  const NodeId rtsw = r.attach_switch[0], other = r.attach_switch[8];
  r.path_first = {0, 1, 2};
  r.hops = {{rtsw, r.attach_port[1]}, {other, r.attach_port[9]}};
  for (Qp& qp : world.traffic.qps) qp.data_path = qp.control_path = qp.src == 0 ? 0 : 1;
  EXPECT_EQ(components_of(world).count, 2u);
  r.hops[1].node = rtsw;
  EXPECT_EQ(components_of(world).count, 1u);
}

TEST(Apart, NothingIsKnownWhereRoutesChange) {
  const World fails = world_with(job(0, 4) + job(8, 4) +
                                 "[[failure]]\nlink = [\"rtsw0\", \"ctsw0\"]\nkind = \"down\"\n"
                                 "at = \"1 ms\"\n");
  EXPECT_TRUE(fails.routing.rows_change());
  EXPECT_EQ(components_of(fails).count, 1u);
  EXPECT_TRUE(parts_apart(fails, 16).empty());
}

TEST(Apart, AControllerMayJoinAnything) {
  for (const char* demands : {"", "[routing.traffic_engineering]\ndemands = \"measured\"\nperiod = \"2 ms\"\n"}) {
    const World world =
        world_with("[routing]\npolicy = \"traffic_engineering\"\n" + std::string(demands) + job(0, 4) + job(8, 4));
    EXPECT_EQ(components_of(world).count, 1u) << demands;
  }
}

TEST(Apart, SmallComponentsShareAPart) {
  const World world = world_with(job(0, 4) + job(4, 4) + job(8, 4) + job(16, 16));
  EXPECT_EQ(components_of(world).count, 4u);
  const std::vector<Part> parts = parts_apart(world, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].rank, 1u);
  EXPECT_TRUE(parts[1].apart);
  EXPECT_GT(parts[0].period_ps, 0);
  const std::vector<u32>& rank = parts[0].rank_of_node;
  EXPECT_EQ(rank[16], 0u);  // the largest alone
  for (const u32 gpu : {0, 4, 8}) EXPECT_EQ(rank[gpu], 1u);
  EXPECT_TRUE(is_apart(components_of(world), rank));
  EXPECT_EQ(parts_apart(world, 16).size(), 4u);
  EXPECT_TRUE(parts_apart(world, 1).empty());
  EXPECT_TRUE(parts_apart(world_with(job(0, 32)), 16).empty());
}

/// Of one component alone the switches between its racks are in none, so nobody knows whether a division goes through
/// it.
TEST(Apart, OneComponentIsNeverApart) {
  const World world = world_with(job(0, 32));
  ASSERT_EQ(components_of(world).count, 1u);
  std::vector<u32> rank(world.fabric.nodes.size(), 0);
  EXPECT_FALSE(is_apart(components_of(world), rank));
  rank.back() = 1;
  EXPECT_FALSE(is_apart(components_of(world), rank));
}

TEST(Apart, ADivisionThroughAComponentIsNotApart) {
  const World world = world_with(job(0, 4) + job(8, 4));
  std::vector<u32> rank(world.fabric.nodes.size(), 0);
  EXPECT_TRUE(is_apart(components_of(world), rank));
  rank[8] = 1;
  EXPECT_FALSE(is_apart(components_of(world), rank));
}

}  // namespace
}  // namespace heddle
