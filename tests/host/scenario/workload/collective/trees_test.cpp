// Double binary trees: the ranks above and below each rank.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/workload.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

World tree_world(u32 gpus, u32 gpus_per_server, u32 channels) {
  World world = world_of(star_options(gpus));
  WorkloadInput input;
  JobOptions job;
  job.gpus_per_server = gpus_per_server;
  job.channels = channels;
  job.min_channel_bytes = 1;
  job.algorithm = "tree";
  job.collectives = {{.kind = "all_reduce", .sizes_bytes = {1 << 20}}};
  input.jobs = {job};
  build_workload(input, world);
  return world;
}

u32 channel_of(const World& world, const ChannelEnd& channel_end) {
  const Peers& peers = channel_end.recv.none() ? channel_end.send : channel_end.recv;
  return world.collectives.connections[peers.connection[0]].channel;
}

/// By channel: the rank above each rank; the root has none. A rank's first channel end sends up, its second receives
/// from there.
std::map<u32, std::map<u32, u32>> parents(const World& world) {
  const CollectivePlan& plan = world.collectives;
  std::map<u32, std::map<u32, std::vector<const ChannelEnd*>>> channel_ends;
  for (const ChannelEnd& channel_end : plan.channel_ends)
    channel_ends[channel_of(world, channel_end)][channel_end.gpu].push_back(&channel_end);
  std::map<u32, std::map<u32, u32>> above;
  for (const auto& [channel, of_gpu] : channel_ends) {
    for (const auto& [gpu, own] : of_gpu) {
      if (own.size() == 1) {
        EXPECT_EQ(own[0]->recv.count(), own[0]->send.count()) << "the root sends back what it has reduced";
        continue;
      }
      const Connection& up = plan.connections[own[0]->send.connection[0]];
      const Connection& down = plan.connections[own[1]->recv.connection[0]];
      EXPECT_EQ(own[0]->send.count(), 1u);
      EXPECT_EQ(own[1]->recv.count(), 1u);
      EXPECT_EQ(up.dst, down.src);
      EXPECT_EQ(own[0]->recv.count(), own[1]->send.count()) << "who sends up is sent down to";
      above[channel][gpu] = up.dst;
    }
  }
  return above;
}

TEST(Trees, LeadEveryRankToOneRoot) {
  for (const u32 server : {1u, 2u, 4u}) {
    for (const u32 servers : {1u, 2u, 3u, 5u, 8u, 12u, 13u}) {
      const u32 ranks = server * servers;
      if (ranks < 2) continue;
      const auto above = parents(tree_world(ranks, server, 2));
      ASSERT_EQ(above.size(), 2u);
      for (const auto& [channel, up] : above) {
        ASSERT_EQ(up.size(), ranks - 1);
        for (u32 rank = 0; rank < ranks; ++rank) {
          u32 at = rank, hops = 0;
          while (up.count(at) != 0 && hops <= ranks) at = up.at(at), ++hops;
          EXPECT_EQ(up.count(at), 0u) << "no circle";
          // Inside a server: down to its first GPU and from its second; between servers: over the levels of their tree.
          EXPECT_LE(hops, server - 1 + 2u * static_cast<u32>(std::bit_width(servers)));
        }
      }
    }
  }
}

/// In one tree a server has children, in the other it is a leaf, so that every NIC carries the same.
TEST(Trees, NoServerHasChildrenInBoth) {
  for (const u32 servers : {2u, 3u, 8u, 13u}) {
    const auto above = parents(tree_world(servers, 1, 2));
    std::map<u32, std::set<u32>> with_children;
    for (const auto& [channel, up] : above) {
      for (const auto& [child, parent] : up) with_children[parent].insert(channel);
    }
    u32 in_both = 0;
    for (const auto& [rank, channels] : with_children) in_both += channels.size() > 1;
    EXPECT_LE(in_both, 1u) << servers << " servers: with an odd number, at most one";
  }
}

/// 8 servers: 0 above 4, 4 above 2 and 6, these above 1, 3, 5, 7.
TEST(Trees, TheFirstOfEightServers) {
  const auto up = parents(tree_world(8, 1, 1)).at(0);
  const std::map<u32, u32> expected = {{4, 0}, {2, 4}, {6, 4}, {1, 2}, {3, 2}, {5, 6}, {7, 6}};
  EXPECT_EQ(up, expected);
}

/// The first of a server's GPUs (the channel's) is joined to the server above.
TEST(Trees, GoThroughServersAsChains) {
  const World world = tree_world(16, 4, 8);
  const auto above = parents(world);
  for (u32 c = 0; c < 8; ++c) {
    for (const auto& [rank, up] : above.at(c)) {
      const u32 place = (rank % 4 + 4 - c % 4) % 4;
      if (place != 0) {
        EXPECT_EQ(up, rank / 4 * 4 + (c + place - 1) % 4);
      } else {
        EXPECT_NE(up / 4, rank / 4);
        EXPECT_LE((up % 4 + 4 - c % 4) % 4, 1u) << "by its first or its second GPU";
      }
    }
  }
}

/// Channels of the first half have the first tree, whose root is server 0.
TEST(Trees, HaveTheirRootByHalfOfTheChannels) {
  for (const u32 channels : {1u, 2u, 5u}) {
    const auto above = parents(tree_world(8, 1, channels));
    ASSERT_EQ(above.size(), channels);
    for (const auto& [channel, up] : above)
      EXPECT_EQ(up.count(0) == 0, channels == 1 || 2 * channel < channels) << channel << " of " << channels;
  }
}

/// LL128 on 2 servers of 8 GPUs with 16 channels (NCCL's calcCollChunking): 10 (1 + 1) + 8 = 28 tenths of steps, so
/// slices are halved from 576,000 B while a channel has fewer than 22.4, then 5.6 of them; to whole 1,920 B.
TEST(Trees, CutLl128AsNccl) {
  JobOptions job;
  job.channels = 16;
  const auto slice = [&](u64 bytes, Protocol protocol) {
    const SliceCut cut = cut_trees({CollectiveKind::all_reduce, bytes, 16, protocol, job});
    return cut.schedule.full_bytes;
  };
  const auto of_ll128 = [](u64 data) { return data / 120 * 128; };
  EXPECT_EQ(slice(1 << 20, Protocol::ll128), of_ll128(17'280));
  EXPECT_EQ(slice(4 << 20, Protocol::ll128), of_ll128(34'560)) << "7 slices of 36,000 B";
  EXPECT_EQ(slice(u64{16} << 20, Protocol::ll128), of_ll128(71'040)) << "14 of 72,000 B";
  EXPECT_EQ(slice(u64{64} << 20, Protocol::ll128), of_ll128(144'000)) << "29 of 144,000 B";
  EXPECT_EQ(slice(u64{128} << 20, Protocol::ll128), of_ll128(288'000));
  EXPECT_EQ(slice(u64{1} << 30, Protocol::ll128), of_ll128(576'000));
  EXPECT_EQ(slice(1 << 20, Protocol::ll), 2u * (32 << 10));
  EXPECT_EQ(slice(1 << 20, Protocol::simple), 512u << 10);
  job.nccl = "v2.19";  // depth 8: shrinks to 32 KiB, as a channel has 64 KiB
  EXPECT_EQ(slice(1 << 20, Protocol::simple), 32u << 10);
}

}  // namespace
}  // namespace heddle
