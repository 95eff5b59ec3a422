// Properties of placements.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "partition/placement/placement.hpp"

namespace heddle {
namespace {

/// 8 racks of 4 servers.
std::vector<u32> racks() {
  std::vector<u32> rack_of(32);
  for (u32 s = 0; s < 32; ++s) rack_of[s] = s / 4;
  return rack_of;
}

TEST(Placement, ContiguousFillsTheGapsInOrder) {
  std::vector<bool> taken(32, false);
  taken[3] = true;
  EXPECT_EQ(place_servers({.servers = 4, .first_server = 2}, racks(), taken), (std::vector<u32>{2, 4, 5, 6}));
  EXPECT_EQ(place_servers({}, racks(), taken).size(), 31u) << "0 servers: all";
}

TEST(Placement, NoServerComesTwiceAndNoneIsTaken) {
  std::vector<bool> taken(32, false);
  for (u32 s = 0; s < 32; s += 5) taken[s] = true;
  for (const Placement p : {Placement::contiguous, Placement::random, Placement::fragmented}) {
    const std::vector<u32> servers = place_servers({.placement = p, .servers = 10, .first_server = 2}, racks(), taken);
    EXPECT_EQ(servers.size(), 10u);
    EXPECT_EQ(std::set<u32>(servers.begin(), servers.end()).size(), servers.size());
    for (u32 s : servers) {
      EXPECT_FALSE(taken[s]);
      EXPECT_GE(s, 2u);
    }
  }
}

TEST(Placement, RandomDependsOnSeedAndJobOnly) {
  const std::vector<bool> taken(32, false);
  const PlacementRequest request{.placement = Placement::random, .servers = 8};
  PlacementRequest other_seed = request, other_job = request;
  other_seed.seed = 2;
  other_job.job = 1;
  const std::vector<u32> servers = place_servers(request, racks(), taken);
  EXPECT_EQ(servers, place_servers(request, racks(), taken));
  EXPECT_NE(servers, place_servers(other_seed, racks(), taken));
  EXPECT_NE(servers, place_servers(other_job, racks(), taken));
}

TEST(Placement, FragmentedUsesHalfOfEachRack) {
  std::vector<bool> taken(32, false);
  const PlacementRequest request{.placement = Placement::fragmented};
  const std::vector<u32> first = place_servers(request, racks(), taken);
  std::map<u32, u32> used;
  for (u32 s : first) ++used[s / 4];
  EXPECT_EQ(used.size(), 8u);
  for (const auto& [rack, servers] : used) EXPECT_EQ(servers, 2u) << rack;
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  for (u32 s : first) taken[s] = true;
  EXPECT_EQ(place_servers(request, racks(), taken).size(), 16u) << "a second job gets the other halves";
}

TEST(Placement, ReturnsWhatThereIs) {
  EXPECT_EQ(place_servers({.servers = 9}, std::vector<u32>(4, 0), std::vector<bool>(4, false)).size(), 4u);
}

}  // namespace
}  // namespace heddle
