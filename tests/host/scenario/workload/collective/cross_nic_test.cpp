// job.cross_nic: the NICs by which rings and trees leave servers.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "host/scenario/build.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

constexpr u32 kGpusOfServer = 4, kServersOfRing = 3, kChannelsOfRing = 8;

CollectivePlan plan_with(const std::string& more, const std::string& kind = "all_reduce") {
  return build_world(
             "[topology]\nkind = \"star\"\nhosts = 12\n[[job]]\ngpus_per_server = 4\nchannels = 8\n"
             "min_channel_bytes = 1\nprotocol = \"simple\"\n" +
                 more + "[[job.collective]]\nkind = \"" + kind + "\"\nsizes = [\"1 MiB\"]\n",
             "test.toml")
      .collectives;
}

/// Connections over the network that join GPUs of different numbers in their servers.
u32 off_their_rail(const CollectivePlan& plan) {
  u32 n = 0;
  for (const Connection& c : plan.connections) n += !c.nvlink && c.src % kGpusOfServer != c.dst % kGpusOfServer;
  return n;
}

u32 relays_of(const CollectivePlan& plan) {
  u32 n = 0;
  for (const ChannelEnd& channel_end : plan.channel_ends) n += channel_end.relays;
  return n;
}

TEST(CrossNic, WithoutItEveryChannelStaysOnItsRail) {
  for (const char* kind : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce"}) {
    const CollectivePlan no = plan_with("algorithm = \"ring\"\ncross_nic = \"no\"\n", kind);
    EXPECT_EQ(off_their_rail(no), 0u) << kind;
    for (const Connection& c : no.connections) {
      if (c.nvlink) continue;
      EXPECT_EQ(c.src % kGpusOfServer, c.channel % kGpusOfServer) << kind << ": the channel's NIC";
    }
    EXPECT_GT(off_their_rail(plan_with("algorithm = \"ring\"\ncross_nic = \"yes\"\n", kind)), 0u) << kind;
  }
  EXPECT_EQ(off_their_rail(plan_with("algorithm = \"tree\"\ncross_nic = \"no\"\n")), 0u);
  EXPECT_GT(off_their_rail(plan_with("algorithm = \"tree\"\ncross_nic = \"yes\"\n")), 0u);
}

TEST(CrossNic, ARingHasARelayInEveryServer) {
  const CollectivePlan plan = plan_with("algorithm = \"ring\"\ncross_nic = \"no\"\n");
  std::map<u32, u32> of_channel;
  for (size_t i = 0; i < plan.channel_ends.size(); ++i) {
    const ChannelEnd& channel_end = plan.channel_ends[i];
    if (!channel_end.relays) continue;
    const Connection &from = plan.connections[channel_end.recv.connection[0]],
                     &to = plan.connections[channel_end.send.connection[0]];
    EXPECT_TRUE(from.nvlink && !to.nvlink);
    EXPECT_EQ(from.dst, channel_end.gpu);
    EXPECT_EQ(to.src, channel_end.gpu);
    EXPECT_EQ(from.src % kGpusOfServer, (channel_end.gpu + kGpusOfServer - 1) % kGpusOfServer)
        << "the ring's last GPU of the server";
    EXPECT_TRUE(i == 0 || plan.channel_ends[i - 1].gpu != channel_end.gpu || plan.channel_ends[i - 1].relays)
        << "a GPU's relays come first";
    ++of_channel[from.channel];
  }
  EXPECT_EQ(of_channel.size(), kChannelsOfRing);
  for (const auto& [channel, relays] : of_channel) EXPECT_EQ(relays, kServersOfRing) << channel;
}

TEST(CrossNic, AChainIsNotClosedByARelay) {
  // From GPU 0 on, which begins the rings of channels 0 and 4; the others would return to it inside its server.
  EXPECT_EQ(relays_of(plan_with("algorithm = \"ring\"\ncross_nic = \"no\"\n", "broadcast")),
            kChannelsOfRing * kServersOfRing - 2);
}

TEST(CrossNic, AServerByItselfOrWithOneGpuNeedsNoRelay) {
  EXPECT_EQ(relays_of(plan_with("gpus = 4\nalgorithm = \"ring\"\ncross_nic = \"no\"\n")), 0u);
  const World alone = build_world(
      "[topology]\nkind = \"star\"\nhosts = 4\n[[job]]\ngpus_per_server = 1\nalgorithm = \"ring\"\ncross_nic = \"no\"\n"
      "[[job.collective]]\nsizes = [\"1 MiB\"]\n",
      "test.toml");
  EXPECT_EQ(relays_of(alone.collectives), 0u);
}

TEST(CrossNic, FollowsTheFabricUnlessItIsGiven) {
  Fabric fabric;
  JobOptions options;
  EXPECT_EQ(cross_nic_on(fabric, options), "yes") << "racks";
  fabric.nics_per_server = 8;
  EXPECT_EQ(cross_nic_on(fabric, options), "no") << "rails";
  options.cross_nic = "yes";
  EXPECT_EQ(cross_nic_on(fabric, options), "yes");
}

}  // namespace
}  // namespace heddle
