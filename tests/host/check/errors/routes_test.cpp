// Findings on routes against their definitions, on tables with and without mistakes.
#include "host/check/errors/routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "host/check/errors/route_walk.hpp"
#include "host/check/errors/up_down.hpp"
#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/base/hash.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

/// Random numbers by seed.
class Random {
 public:
  explicit Random(u32 seed) : seed_(seed) {}
  u32 operator()(u32 below) { return static_cast<u32>(hash64(11, Stream::ecmp, seed_, drawn_++) % below); }

 private:
  u32 seed_, drawn_ = 0;
};

World zones(Random& random) {
  FabricOptions options = small_multi_zone_options();
  options.topology.zones = 1 + random(3);
  options.topology.racks = 1 + random(5);
  options.topology.ctsws = 1 + random(3);
  options.topology.uplinks_per_rtsw = options.topology.ctsws + random(3);
  options.topology.atsws = 1 + random(3);
  options.topology.uplinks_per_ctsw = 1 + random(3);
  return world_of(options);
}

/// Gives a few switches a row of their own in which some entries lead to random ports.
void make_mistakes(Random& random, World& world) {
  NextHopTable& table = world.routing.table;
  const u32 switches = static_cast<u32>(table.row_of.size());
  for (u32 n = random(4); n > 0; --n) {
    const u32 s = random(switches), row = table.rows();
    const u32 ports = world.fabric.nodes[world.fabric.endpoints + s].ports;
    if (ports == 0) continue;
    for (u32 g = 0; g < table.groups; ++g) table.set_of.push_back(table.set_in_row(table.row_of[s], g));
    table.row_of[s] = row;
    for (u32 changes = random(3); changes > 0; --changes) {
      table.sets.push_back({static_cast<u32>(table.ports.size()), 1});
      table.ports.push_back(static_cast<u16>(random(ports)));
      table.set_of[u64{row} * table.groups + random(table.groups)] =
          random(4) == 0 ? kNone : static_cast<u32>(table.sets.size() - 1);
    }
  }
}

TEST(RouteWalk, SaysOfEveryGroupWhatAWalkOfItsOwnSays) {
  u32 faulty = 0, sound = 0;
  for (u32 seed = 0; seed < 300; ++seed) {
    Random random(seed);
    World world = zones(random);
    make_mistakes(random, world);
    RouteWalk all(world);
    for (u32 g = 0; g < world.routing.table.groups; ++g) {
      const std::string problem = all.check(g);
      EXPECT_EQ(problem, RouteWalk(world).check(g)) << "seed " << seed << " group " << g;
      ++(problem.empty() ? sound : faulty);
    }
  }
  EXPECT_GT(faulty, 100u);
  EXPECT_GT(sound, 1000u);
}

/// Searches link by link and group by group, by the definition of buffer_dependency_cycle.
bool links_wait_in_a_circle(const World& world) {
  const Fabric& f = world.fabric;
  const Routing& r = world.routing;
  std::vector<std::set<LinkId>> waits_for(f.links.size());
  const auto ways = [&](NodeId at, u32 group, NodeId goal) {
    std::vector<LinkId> out;
    if (at == goal) return out;
    for (const u16 port : r.next_hops(at, group)) out.push_back(f.nodes[at].first_link + port);
    return out;
  };
  for (EndpointId dst = 0; dst < f.endpoints; ++dst) {
    const u32 group = r.group_of[dst];
    const NodeId goal = r.attach_switch[dst];
    for (LinkId l = 0; l < f.links.size(); ++l) {
      const Link& link = f.links[l];
      if (link.dst < f.endpoints || link.dst == goal) continue;
      const std::vector<LinkId> from = link.src < f.endpoints ? std::vector{l} : ways(link.src, group, goal);
      if (std::ranges::find(from, l) == from.end()) continue;
      for (const LinkId next : ways(link.dst, group, goal)) waits_for[l].insert(next);
    }
  }
  for (;;) {  // remove links that wait for no remaining link
    bool any = false;
    for (auto& list : waits_for) any = std::erase_if(list, [&](LinkId l) { return waits_for[l].empty(); }) > 0 || any;
    if (!any) return std::ranges::any_of(waits_for, [](const auto& list) { return !list.empty(); });
  }
}

TEST(CheckRoutes, FindsACircleOfLinksWhereThereIsOne) {
  u32 circles = 0, none = 0;
  for (u32 seed = 0; seed < 300; ++seed) {
    Random random(seed);
    World world = zones(random);
    make_mistakes(random, world);
    const bool expected = links_wait_in_a_circle(world);
    EXPECT_EQ(!buffer_dependency_cycle(world).empty(), expected) << "seed " << seed;
    ++(expected ? circles : none);
  }
  EXPECT_GT(circles, 20u);
  EXPECT_GT(none, 100u);
}

/// Follows every path to every endpoint, hop by hop: whether one goes up, or on within a tier, after it did not go up.
bool goes_down_and_up(const World& world, NodeId at, EndpointId dst, bool turned) {
  const Fabric& f = world.fabric;
  if (at == world.routing.attach_switch[dst]) return false;
  for (const u16 port : world.routing.next_hops(at, world.routing.group_of[dst])) {
    const NodeId next = f.links[f.nodes[at].first_link + port].dst;
    const bool up = f.nodes[next].tier > f.nodes[at].tier, down = f.nodes[next].tier < f.nodes[at].tier;
    if ((turned && !down) || goes_down_and_up(world, next, dst, turned || !up)) return true;
  }
  return false;
}

/// Gives switch `at` a row of its own in which it sends packets for the group of switch `goal` to `next` alone.
void send_all(World& world, NodeId at, NodeId goal, NodeId next) {
  NextHopTable& table = world.routing.table;
  const Fabric& f = world.fabric;
  u32 group = 0, port = 0;
  for (EndpointId e = 0; e < f.endpoints; ++e)
    if (world.routing.attach_switch[e] == goal) group = world.routing.group_of[e];
  while (f.links[f.nodes[at].first_link + port].dst != next) ++port;
  const u32 row = table.rows(), before = world.routing.row_of(at);
  for (u32 g = 0; g < table.groups; ++g) table.set_of.push_back(table.set_in_row(before, g));
  table.row_of[at - f.endpoints] = row;
  table.sets.push_back({static_cast<u32>(table.ports.size()), 1});
  table.ports.push_back(static_cast<u16>(port));
  table.set_of[u64{row} * table.groups + group] = static_cast<u32>(table.sets.size() - 1);
}

/// One CTSW sends packets for one rack to another rack, which sends them up again, to another CTSW.
void make_detour(Random& random, World& world) {
  std::vector<NodeId> racks, ctsws;
  for (NodeId n = world.fabric.endpoints; n < world.fabric.nodes.size(); ++n) {
    if (world.fabric.nodes[n].zone != 0) continue;
    if (world.fabric.nodes[n].tier == kRtsw) racks.push_back(n);
    if (world.fabric.nodes[n].tier == kCtsw) ctsws.push_back(n);
  }
  if (racks.size() < 2 || ctsws.size() < 2) return;
  const u32 rack = random(static_cast<u32>(racks.size()) - 1);
  send_all(world, ctsws[0], racks[rack + 1], racks[rack]);
  send_all(world, racks[rack], racks[rack + 1], ctsws[1]);
}

TEST(CheckRoutes, NamesAFlowThatGoesDownAndUpWhereThereIsOne) {
  u32 turning = 0, up_down = 0;
  for (u32 seed = 0; seed < 600; ++seed) {
    Random random(seed);
    World world = zones(random);
    if (random(2) == 0) make_mistakes(random, world);
    if (random(2) == 0) make_detour(random, world);
    if (!routing_problems(world).empty()) continue;
    bool expected = false;
    for (EndpointId src = 0; src < world.fabric.endpoints; ++src) {
      for (EndpointId dst = 0; dst < world.fabric.endpoints; ++dst)
        expected = expected || goes_down_and_up(world, world.routing.attach_switch[src], dst, false);
    }
    const std::string flow = down_and_up(world);
    EXPECT_EQ(!flow.empty(), expected) << "seed " << seed << ": " << flow;
    ++(expected ? turning : up_down);
  }
  EXPECT_GT(turning, 50u);
  EXPECT_GT(up_down, 100u);
}

TEST(CheckRoutes, OfAHundredThousandGpusTakesSeconds) {
  FabricOptions options;
  options.topology.kind = "multi_zone";
  options.topology.zones = 34;
  options.topology.racks = 192;  // 104,448 GPUs
  const std::clock_t begin = std::clock();
  const World world = world_of(options);
  EXPECT_TRUE(routing_problems(world).empty());
  EXPECT_EQ(buffer_dependency_cycle(world), "");
  EXPECT_EQ(down_and_up(world), "");
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 25.0) << "0.6 s of processor time when optimised; by pairs of switches it was 35";
}

}  // namespace
}  // namespace heddle
