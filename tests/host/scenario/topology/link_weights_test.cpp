// Weights of links by their speeds and by a file.
#include "host/scenario/topology/link_weights.hpp"

#include <gtest/gtest.h>

#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

TEST(LinkWeights, BySpeed) {
  FabricOptions options = small_zone_options();
  options.link.host_bits_per_s = 400'000'000'000;
  options.link.rtsw_ctsw_bits_per_s = 100'000'000'000;
  const World world = world_of(options);
  const std::vector<u32> weights = weights_by_speed(world.fabric);
  EXPECT_EQ(weights[world.fabric.nodes[0].first_link], 4u);
  EXPECT_EQ(weights[world.fabric.nodes[16].first_link + 4], 1u) << "an uplink of rtsw0";
}

TEST(LinkWeights, OfAFileForAllParallelLinks) {
  World world = world_of(small_zone_options());
  const std::vector<PlainWeight> file = {{"rtsw0", "ctsw1", 5, 2}, {"ctsw0", "rtsw3", 0, 3}};
  set_link_weights(file, "weights.csv", world);
  const auto weight = [&](NodeId node, u32 port) {
    return world.routing.link_weight[world.fabric.nodes[node].first_link + port];
  };
  for (u32 up = 0; up < 4; ++up) {
    const bool to_ctsw1 = world.fabric.links[world.fabric.nodes[16].first_link + 4 + up].dst == 21;
    EXPECT_EQ(weight(16, 4 + up), to_ctsw1 ? 5u : 1u);
  }
  EXPECT_EQ(weight(20, 6), 0u);
  EXPECT_EQ(weight(20, 7), 0u);
  EXPECT_EQ(weight(21, 6), 1u);
}

TEST(LinkWeights, MistakesAreNamedWithTheirLine) {
  const auto error = [](const std::vector<PlainWeight>& file) {
    return config_error_of([&] {
      World world = world_of(small_zone_options());
      set_link_weights(file, "weights.csv", world);
    });
  };
  EXPECT_NE(error({{"rtsw9", "ctsw1", 5, 4}}).find("weights.csv:4: there is no node 'rtsw9'"), std::string::npos);
  EXPECT_NE(error({{"rtsw0", "rtsw1", 5, 4}}).find("no switch with a link to rtsw1"), std::string::npos);
  EXPECT_NE(error({{"gpu0", "rtsw0", 5, 4}}).find("gpu0 is no switch"), std::string::npos);
  EXPECT_NE(error({{"rtsw0", "ctsw1", 5, 2}, {"rtsw0", "ctsw1", 6, 3}}).find("weights.csv:3"), std::string::npos);
}

}  // namespace
}  // namespace heddle
