// NVLS: which GPU is the head of which part, and which connections the switches of servers join.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "host/scenario/workload/collective/algorithms.hpp"
#include "host/scenario/workload/workload.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

JobOptions nvls_job(u32 gpus_per_server, u32 channels) {
  JobOptions job;
  job.gpus_per_server = gpus_per_server;
  job.channels = channels;
  job.algorithm = "nvls";
  job.collectives = {{.kind = "all_reduce", .sizes_bytes = {1 << 20}}};
  return job;
}

World nvls_world(u32 gpus, const JobOptions& job) {
  World world = world_of(star_options(gpus));
  WorkloadInput input;
  input.jobs = {job};
  build_workload(input, world);
  return world;
}

/// The connections that the switch joins, by the first of them.
std::map<u32, std::vector<Connection>> joined(const World& world) {
  std::map<u32, std::vector<Connection>> sets;
  for (const Connection& c : world.collectives.connections) {
    if (c.in_switch != InSwitch::nothing) sets[c.first_joined].push_back(c);
  }
  return sets;
}

TEST(Nvls, TheSwitchJoinsAllOthersOfAServerWithEachHead) {
  const World world = nvls_world(16, nvls_job(4, 3));
  std::map<EndpointId, u32> reduced, multicast;  // by head
  for (const auto& [first, set] : joined(world)) {
    ASSERT_EQ(set.size(), 3u);
    const bool reduces = set[0].in_switch == InSwitch::reduces;
    const EndpointId head = reduces ? set[0].dst : set[0].src;
    std::set<EndpointId> others;
    for (const Connection& c : set) {
      EXPECT_EQ(c.joined, 3u);
      EXPECT_TRUE(c.nvlink);
      EXPECT_EQ(reduces ? c.dst : c.src, head);
      EXPECT_EQ(reduces ? c.recv_channel_end : c.send_channel_end,
                reduces ? set[0].recv_channel_end : set[0].send_channel_end)
          << "one end";
      others.insert(reduces ? c.src : c.dst);
      EXPECT_EQ(c.src / 4, c.dst / 4) << "inside a server";
    }
    EXPECT_EQ(others.size(), 3u);
    ++(reduces ? reduced : multicast)[head];
  }
  for (EndpointId gpu = 0; gpu < 16; ++gpu) {
    EXPECT_EQ(reduced[gpu], 3u) << "on each channel";
    EXPECT_EQ(multicast[gpu], 3u);
  }
}

/// On every channel and rail the heads form a tree with (servers - 1) edges, each up and down.
TEST(Nvls, HeadsOfOneNumberMeetOverTheNetwork) {
  for (const u32 servers : {1u, 2u, 3u, 8u}) {
    const World world = nvls_world(3 * servers, nvls_job(3, 2));
    std::map<u32, u32> edges;  // by stream
    for (const Connection& c : world.collectives.connections) {
      if (c.nvlink) continue;
      EXPECT_EQ(c.src % 3, c.dst % 3) << "NICs of one rail";
      EXPECT_EQ(c.src % 3, c.channel % 3) << "by the head's own NIC";
      ++edges[c.channel];
    }
    EXPECT_EQ(edges.size(), servers == 1 ? 0u : 6u);
    for (const auto& [stream, count] : edges) EXPECT_EQ(count, 2 * (servers - 1)) << stream;
    u32 roots = 0;
    for (const ChannelEnd& channel_end : world.collectives.channel_ends) {
      EXPECT_LE(channel_end.recv.count(), 3u);
      roots += channel_end.recv.count() != 0 && channel_end.recv.count() == channel_end.send.count() &&
               world.collectives.connections[channel_end.recv.connection[0]].in_switch == InSwitch::reduces &&
               world.collectives.connections[channel_end.send.connection[0]].in_switch == InSwitch::multicasts;
    }
    EXPECT_EQ(roots, 6u);
  }
}

TEST(Nvls, CountsWhatWillBeMade) {
  for (const u32 gpus_per_server : {3u, 4u}) {
    for (const u32 servers : {1u, 2u, 4u}) {
      JobOptions job = nvls_job(gpus_per_server, 3);
      job.qps_per_connection = 2;
      const World world = nvls_world(gpus_per_server * servers, job);
      WorkloadCounts counts;
      count_nvls(job, u64{gpus_per_server} * servers, true, counts);
      const WorkloadCounts made = counts_of(world);
      EXPECT_EQ(counts.connections, made.connections);
      EXPECT_EQ(counts.channel_ends, made.channel_ends);
      EXPECT_EQ(counts.qps, made.qps);
      EXPECT_EQ(counts.nvlinks, made.nvlinks);
      EXPECT_EQ(counts.several_peers, made.several_peers);
    }
  }
}

/// 16 channels x 8 heads: 128 KiB chunks in one server, 64 KiB from 4 servers on, smaller ones for little data.
TEST(Nvls, ChunksAreAsLargeAsNccls) {
  JobOptions job = nvls_job(8, 16);
  const auto slice = [&](u32 ranks, u64 bytes) {
    const SliceCut cut = cut_nvls({CollectiveKind::all_reduce, bytes, ranks, Protocol::simple, job});
    EXPECT_EQ(cut.slots, 8u);
    EXPECT_EQ(bytes_of(cut.schedule), (bytes + 127) / 128);
    return cut.schedule.full_bytes;
  };
  EXPECT_EQ(slice(8, u64{8} << 30), 128u << 10);
  EXPECT_EQ(slice(8, u64{512} << 20), 64u << 10);
  EXPECT_EQ(slice(8, 1 << 20), 16u << 10);
  EXPECT_EQ(slice(16, u64{8} << 30), 128u << 10);
  EXPECT_EQ(slice(32, u64{8} << 30), 64u << 10);
  EXPECT_EQ(slice(32, 1 << 20), 32u << 10);
}

/// On 4 servers NCCL 2.26 takes it from 2 MiB until rings, from 512 MiB on.
TEST(Nvls, AutoTakesItWhereServersHaveIt) {
  const auto taken = [](JobOptions job) {
    job.algorithm = "auto";
    job.collectives[0].sizes_bytes = {1 << 10, 1 << 24, 1 << 30};
    std::vector<bool> nvls;
    for (const Collective& c : nvls_world(32, job).collectives.collectives)
      nvls.push_back(c.algorithm == Algorithm::nvls);
    return nvls;
  };
  EXPECT_EQ(taken(nvls_job(8, 8)), (std::vector<bool>{false, true, false}));
  JobOptions without = nvls_job(8, 8);
  without.nvls = false;
  EXPECT_EQ(taken(without), std::vector<bool>(3));
  without = nvls_job(8, 8);
  without.gpu = "ampere";
  EXPECT_EQ(taken(without), std::vector<bool>(3));
  EXPECT_EQ(taken(nvls_job(2, 2)), std::vector<bool>(3)) << "no switch joins 2 GPUs";
}

TEST(Nvls, WhatCannotBeIsRefused) {
  const auto error = [](const JobOptions& job) { return config_error_of([&] { nvls_world(8, job); }); };
  JobOptions without = nvls_job(8, 8);
  without.nvls = false;
  EXPECT_NE(error(without).find("job[0].nvls is false"), std::string::npos) << error(without);
  JobOptions job = nvls_job(2, 1);
  EXPECT_NE(error(job).find("job[0].algorithm = \"nvls\": the switch of a server joins 3 to 256 GPUs"),
            std::string::npos);
  job = nvls_job(4, 1);
  job.gpu = "ampere";
  EXPECT_NE(error(job).find("the switches of job[0].gpu = \"ampere\" do not reduce"), std::string::npos);
  job = nvls_job(4, 1);
  job.protocol = "ll128";
  EXPECT_NE(error(job).find("job[0].protocol = \"ll128\": nvls has the simple protocol alone"), std::string::npos);
  job = nvls_job(4, 1);
  job.collectives[0].kind = "all_gather";
  EXPECT_NE(error(job).find("all_gather has none of that name"), std::string::npos);
}

}  // namespace
}  // namespace heddle
