// Numbers of channels, and where they enter servers.
#include "host/scenario/workload/collective/channels.hpp"

#include <gtest/gtest.h>

#include <set>

#include "host/scenario/workload/workload.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

TunerInput machine(u32 servers, u32 gpus_per_server, u32 nics, double nic_GBps, const char* gpu = "hopper") {
  return {.ranks = servers * gpus_per_server,
          .gpus_per_server = gpus_per_server,
          .nics = nics,
          .nic_GBps = nic_GBps,
          .gpu = gpu};
}

/// NCCL's own, as its logs say ("24 coll channels", "16 coll channels").
TEST(Channels, AreByDefaultNccls) {
  EXPECT_EQ(default_channels(machine(1, 8, 8, 50)), 24u);
  EXPECT_EQ(default_channels(machine(1, 2, 2, 50)), 24u);
  EXPECT_EQ(default_channels(machine(1, 8, 8, 25, "ampere")), 24u);
  EXPECT_EQ(default_channels(machine(2, 8, 8, 50)), 16u);
  EXPECT_EQ(default_channels(machine(2, 8, 4, 50)), 16u) << "4 channels cut into 8";
  EXPECT_EQ(default_channels(machine(2, 8, 6, 50)), 24u) << "4 blocks for each of 6 fast channels";
  EXPECT_EQ(default_channels(machine(2, 8, 8, 25)), 16u);
  EXPECT_EQ(default_channels(machine(2, 8, 4, 25)), 8u);
  EXPECT_EQ(default_channels(machine(2, 8, 8, 25, "ampere")), 16u);
  EXPECT_EQ(default_channels(machine(2, 8, 4, 25, "ampere")), 8u);
  EXPECT_EQ(default_channels(machine(2, 1, 1, 50)), 4u);
  EXPECT_EQ(default_channels(machine(2, 1, 1, 25)), 2u);
  EXPECT_EQ(default_channels(machine(2, 8, 8, 100)), 32u);
}

/// An all-reduce on 16 GPUs with 16 channels: as many as have so many bytes, in powers of two.
TEST(Channels, AreFewerForLittleData) {
  JobOptions options;
  TunerInput input = machine(2, 8, 8, 50);
  input.channels = 16;
  const auto used = [&](u64 bytes, Algorithm algorithm, Protocol protocol) {
    input.bytes = bytes;
    return used_channels(options, input, algorithm, protocol);
  };
  EXPECT_EQ(used(8, Algorithm::tree, Protocol::ll), 1u);
  EXPECT_EQ(used(32 << 10, Algorithm::tree, Protocol::ll), 8u) << "4 KiB each";
  EXPECT_EQ(used(64 << 10, Algorithm::ring, Protocol::ll), 1u) << "4 KiB for each rank";
  EXPECT_EQ(used(1 << 20, Algorithm::ring, Protocol::ll), 16u);
  EXPECT_EQ(used(20 << 10, Algorithm::tree, Protocol::ll128), 4u) << "5 KiB each";
  EXPECT_EQ(used(64 << 10, Algorithm::ring, Protocol::simple), 2u) << "32 KiB each";
  EXPECT_EQ(used(511 << 10, Algorithm::ring, Protocol::simple), 8u) << "15, rounded down";
  EXPECT_EQ(used(512 << 10, Algorithm::ring, Protocol::simple), 16u);
  EXPECT_EQ(used(8, Algorithm::nvls, Protocol::simple), 16u);
  input.channels = 24;
  EXPECT_EQ(used(512 << 10, Algorithm::ring, Protocol::simple), 16u);
  EXPECT_EQ(used(768 << 10, Algorithm::ring, Protocol::simple), 24u) << "all";
  input.nccl = "v2.30";  // traffic of 32 KiB, of which an all-reduce has 2 B for each of its own, LL four times
  EXPECT_EQ(used(64 << 10, Algorithm::tree, Protocol::ll128), 4u) << "16 KiB each";
  EXPECT_EQ(used(32 << 10, Algorithm::tree, Protocol::ll), 8u);
  input.kind = CollectiveKind::all_gather;
  EXPECT_EQ(used(64 << 10, Algorithm::ring, Protocol::ll128), 2u) << "32 KiB each";
  options.min_channel_bytes = 1;
  options.channels = 3;
  EXPECT_EQ(used(24, Algorithm::ring, Protocol::ll128), 24u);
  EXPECT_EQ(used(3, Algorithm::ring, Protocol::ll128), 2u);
  EXPECT_EQ(used(8, Algorithm::nvls, Protocol::simple), 3u);
}

TEST(Channels, AreAtMostAsManyAsNcclHas) {
  TunerInput input{.ranks = 144, .gpus_per_server = 72, .nics = 72};
  EXPECT_EQ(default_channels(input), 64u);
  input.nccl = "v2.19";
  EXPECT_EQ(default_channels(input), 32u);
}

World built(JobOptions job, u32 hosts) {
  World world = world_of(star_options(hosts));
  WorkloadInput input;
  input.jobs = {std::move(job)};
  build_workload(input, world);
  return world;
}

/// Collectives of one layout with different numbers of channels have a group each.
TEST(Channels, OfEachNumberAreAGroup) {
  JobOptions job;
  job.algorithm = "ring";
  job.protocol = "simple";
  job.collectives = {{.kind = "all_reduce", .sizes_bytes = {1 << 10, 128 << 10, 2 << 10, 1 << 24}}};
  const World world = built(job, 16);
  const CollectivePlan& plan = world.collectives;
  ASSERT_EQ(plan.jobs[0].groups.size(), 3u);
  EXPECT_EQ(plan.jobs[0].groups[0].connections, 16u);
  EXPECT_EQ(plan.jobs[0].groups[1].connections, 4u * 16);
  EXPECT_EQ(plan.jobs[0].groups[2].connections, 16u * 16);
  EXPECT_EQ(plan.collectives[0].group, 0u);
  EXPECT_EQ(plan.collectives[1].group, 1u);
  EXPECT_EQ(plan.collectives[2].group, 0u);
  EXPECT_EQ(plan.collectives[3].group, 2u);
}

/// With 2 NICs for 4 GPUs rings enter servers at GPUs 0 and 2, and leave from 1 and 3; trees and heads use 0 and 2.
TEST(Channels, UseTheNicsThatAServerHas) {
  for (const char* algorithm : {"ring", "tree", "nvls"}) {
    JobOptions job;
    job.gpus_per_server = 4;
    job.nics_per_server = 2;
    job.algorithm = algorithm;
    job.collectives = {{.kind = "all_reduce", .sizes_bytes = {1 << 24}}};
    std::set<u32> in, out;
    for (const Connection& c : built(job, 8).collectives.connections) {
      if (c.nvlink) continue;
      out.insert(c.src % 4);
      in.insert(c.dst % 4);
    }
    EXPECT_EQ(in, (std::set<u32>{0, 2})) << algorithm;
    EXPECT_EQ(out, job.algorithm == "ring" ? (std::set<u32>{1, 3}) : (std::set<u32>{0, 2})) << algorithm;
  }
  JobOptions job;
  job.gpus_per_server = 4;
  job.nics_per_server = 2;
  EXPECT_EQ(nvls_heads(job, 2), 2u) << "so each has half of a channel's rate";
  EXPECT_EQ(nvls_heads(job, 1), 4u);
  job.nics_per_server = 5;
  job.collectives = {{.kind = "all_reduce", .sizes_bytes = {1}}};
  EXPECT_NE(config_error_of([&] { built(job, 8); }).find("job[0].nics_per_server = 5: more than"), std::string::npos);
}

}  // namespace
}  // namespace heddle
