// All-to-all by PXN: what each NIC sends, and through whom.
#include <gtest/gtest.h>

#include <map>

#include "host/scenario/build.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

constexpr u32 kGpus = 8, kServer = 4;

World built(const std::string& more) {
  return build_world("[topology]\nkind = \"star\"\nhosts = 8\n[[job]]\ngpus_per_server = 4\n" + more +
                         "[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n",
                     "test.toml");
}

TEST(Pxn, EveryNicStaysOnItsRail) {
  const World world = built("pxn = true\np2p_channels = 2\n");
  std::map<EndpointId, u32> sent, received;
  for (const Connection& c : world.collectives.connections) {
    if (c.nvlink) continue;
    EXPECT_EQ(c.src % kServer, c.dst % kServer);
    ++sent[c.src];
    ++received[c.dst];
  }
  for (EndpointId gpu = 0; gpu < kGpus; ++gpu) {
    EXPECT_EQ(sent[gpu], 4u * 2) << "from each GPU of its server to the one of the other on its rail, by 2 channels";
    EXPECT_EQ(received[gpu], 4u * 2);
  }
}

TEST(Pxn, RelaysLeadFromNvlinkToTheNetworkAndComeFirst) {
  const CollectivePlan plan = built("pxn = true\np2p_channels = 1\n").collectives;
  std::map<EndpointId, u32> relays;
  for (const ChannelEnd& channel_end : plan.channel_ends) {
    if (!channel_end.relays) continue;
    const Connection &from = plan.connections[channel_end.recv.connection[0]],
                     &to = plan.connections[channel_end.send.connection[0]];
    EXPECT_TRUE(from.nvlink && !to.nvlink);
    EXPECT_EQ(from.dst, channel_end.gpu);
    EXPECT_EQ(to.src, channel_end.gpu);
    EXPECT_EQ(from.src / kServer, channel_end.gpu / kServer);
    ++relays[channel_end.gpu];
  }
  EXPECT_EQ(relays.size(), kGpus);
  for (const auto& [gpu, number] : relays) {
    EXPECT_EQ(number, 3u) << "one for each other GPU of its server, to the other server";
    for (u32 i = 0; i < number; ++i) EXPECT_TRUE(plan.channel_ends[gpu * (3 + 14) + i].relays) << gpu;
  }
}

TEST(Pxn, EveryRankHearsFromAllOthers) {
  const CollectivePlan plan = built("pxn = true\np2p_channels = 1\n").collectives;
  std::map<EndpointId, u32> receives, sends;
  for (const ChannelEnd& channel_end : plan.channel_ends) {
    receives[channel_end.gpu] += channel_end.send.none();
    sends[channel_end.gpu] += channel_end.recv.none();
  }
  for (EndpointId gpu = 0; gpu < kGpus; ++gpu) {
    EXPECT_EQ(receives[gpu], kGpus - 1);
    EXPECT_EQ(sends[gpu], kGpus - 1);
  }
}

TEST(Pxn, OneServerNeedsNoRelay) {
  const World world = build_world(
      "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus_per_server = 4\npxn = true\n"
      "[[job.collective]]\nkind = \"all_to_all\"\nsizes = [\"1 MiB\"]\n",
      "test.toml");
  for (const Connection& c : world.collectives.connections) EXPECT_TRUE(c.nvlink);
  for (const ChannelEnd& channel_end : world.collectives.channel_ends) EXPECT_FALSE(channel_end.relays);
}

TEST(Pxn, IsRefusedWhereItDoesNothing) {
  const auto error = [](const std::string& job) { return config_error_of([&] { built(job); }); };
  EXPECT_NE(error("pxn = true\nalgorithm = \"hierarchical\"\n").find("sends on its rails as it is"), std::string::npos);
}

}  // namespace
}  // namespace heddle
