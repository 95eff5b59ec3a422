// Which worker begins with what: each node once, switches beside their endpoints.
#include "kernels/backends/homes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace heddle {
namespace {

/// Switches 0 and 1 have no endpoints, then come racks of 64.
struct Racks {
  explicit Racks(u32 racks) : rack_of(racks * 64) {
    for (u32 e = 0; e < rack_of.size(); ++e) rack_of[e] = 2 + e / 64;
    model.local_endpoint.resize(rack_of.size());
    std::iota(model.local_endpoint.begin(), model.local_endpoint.end(), 0);
    model.view.switches = racks + 2;
    model.view.endpoints = racks * 64;
    model.view.attach_node = rack_of.data();
  }
  std::vector<u32> rack_of;
  Model model;
};

TEST(Homes, RacksAreWithTheirEndpoints) {
  const Racks racks(4);
  const Homes homes = homes_of(racks.model, 2);
  EXPECT_EQ(homes.first_group, (std::vector<u32>{0, 4, 8}));
  EXPECT_EQ(homes.switches, (std::vector<u32>{0, 2, 3, 1, 4, 5}));
  EXPECT_EQ(homes.first_switch, (std::vector<u32>{0, 3, 6}));
}

TEST(Homes, OneWorkerHasAllInTheirOrder) {
  const Racks racks(3);
  const Homes homes = homes_of(racks.model, 1);
  EXPECT_EQ(homes.first_group, (std::vector<u32>{0, 6}));
  EXPECT_EQ(homes.switches, (std::vector<u32>{0, 1, 2, 3, 4}));
  EXPECT_EQ(homes.first_switch, (std::vector<u32>{0, 5}));
}

TEST(Homes, EachNodeIsOfOneWorkerHoweverManyThereAre) {
  const Racks racks(3);
  for (const u32 workers : {2u, 5u, 6u, 7u, 64u}) {
    Homes homes = homes_of(racks.model, workers);
    EXPECT_EQ(homes.first_group.size(), workers + 1);
    EXPECT_EQ(homes.first_switch.size(), workers + 1);
    EXPECT_EQ(homes.first_group.front() + homes.first_switch.front(), 0);
    EXPECT_EQ(homes.first_group.back(), 6);
    EXPECT_EQ(homes.first_switch.back(), 5);
    EXPECT_TRUE(std::is_sorted(homes.first_group.begin(), homes.first_group.end()));
    EXPECT_TRUE(std::is_sorted(homes.first_switch.begin(), homes.first_switch.end()));
    std::sort(homes.switches.begin(), homes.switches.end());
    EXPECT_EQ(homes.switches, (std::vector<u32>{0, 1, 2, 3, 4}));
  }
}

TEST(Homes, OfAPartThatLacksSomeOfTheWorld) {
  Racks racks(2);
  for (u32 e = 0; e < 128; ++e) racks.model.local_endpoint[e] = e < 64 ? kNone : e - 64;
  std::fill_n(racks.rack_of.begin(), 64, kNone);
  for (u32 e = 64; e < 128; ++e) racks.rack_of[e] = 2;
  racks.model.view.switches = 3;
  racks.model.view.endpoints = 64;
  const Homes homes = homes_of(racks.model, 2);
  EXPECT_EQ(homes.first_group, (std::vector<u32>{0, 1, 2}));
  EXPECT_EQ(homes.switches, (std::vector<u32>{0, 2, 1}));
  EXPECT_EQ(homes.first_switch, (std::vector<u32>{0, 2, 3}));
}

TEST(Homes, WithoutEndpointsOrSwitches) {
  Model model;
  const Homes homes = homes_of(model, 2);
  EXPECT_EQ(homes.first_group, (std::vector<u32>{0, 0, 0}));
  EXPECT_EQ(homes.first_switch, (std::vector<u32>{0, 0, 0}));
}

}  // namespace
}  // namespace heddle
