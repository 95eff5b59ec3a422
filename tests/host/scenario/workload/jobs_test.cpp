// Collectives: slice schedules, rings, send/recv channel ends, placement of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/host/scenario/topology/worlds.hpp"
#include "tests/oracle/tables.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

JobOptions job_of(const char* kind, std::vector<u64> sizes, u32 gpus_per_server = 1) {
  JobOptions job;
  job.gpus_per_server = gpus_per_server;
  job.collectives = {{.kind = kind, .sizes_bytes = std::move(sizes)}};
  return job;
}

World built(std::vector<JobOptions> jobs, u32 hosts = 16) {
  World world = world_of(star_options(hosts));
  WorkloadInput input;
  input.jobs = std::move(jobs);
  build_workload(input, world);
  return world;
}

bool names(const Peers& peers, u32 connection) {
  return std::find(peers.connection, peers.connection + kMaxPeers, connection) != peers.connection + kMaxPeers;
}

void expect_sound_plan(const World& world) {
  const CollectivePlan& plan = world.collectives;
  for (u32 c = 0; c < plan.connections.size(); ++c) {
    const Connection& connection = plan.connections[c];
    ASSERT_LT(connection.send_channel_end, plan.channel_ends.size());
    ASSERT_LT(connection.recv_channel_end, plan.channel_ends.size());
    EXPECT_TRUE(names(plan.channel_ends[connection.send_channel_end].send, c));
    EXPECT_TRUE(names(plan.channel_ends[connection.recv_channel_end].recv, c));
    EXPECT_EQ(plan.channel_ends[connection.send_channel_end].gpu, connection.src);
    EXPECT_EQ(plan.channel_ends[connection.recv_channel_end].gpu, connection.dst);
    if (connection.nvlink) {
      EXPECT_EQ(connection.qps, 0u);
      continue;
    }
    for (u32 i = 0; i < connection.qps; ++i) {
      const Qp& qp = world.traffic.qps[connection.first_qp + i];
      EXPECT_EQ(qp.connection, c);
      EXPECT_EQ(qp.scaling_index, i);
      EXPECT_EQ(qp.src, connection.src);
      EXPECT_EQ(qp.dst, connection.dst);
    }
  }
  for (const Job& job : plan.jobs) {
    for (const ChannelEndGroup& group : job.groups) {
      for (u32 l = group.first_channel_end + 1; l < group.first_channel_end + group.channel_ends; ++l) {
        EXPECT_GE(plan.channel_ends[l].gpu, plan.channel_ends[l - 1].gpu) << "channel ends are ordered by GPU";
      }
    }
  }
  for (u64 q = 1; q < world.traffic.qps.size(); ++q) {
    EXPECT_GE(world.traffic.qps[q].src, world.traffic.qps[q - 1].src);
  }
}

JobOptions ring_job() {
  JobOptions job = job_of("all_reduce", {1 << 20}, 4);
  job.algorithm = "ring";
  job.protocol = "simple";
  job.channels = 4;
  return job;
}

TEST(Rings, PassEveryRankOnceOnEveryChannel) {
  const World world = built({ring_job()});
  expect_sound_plan(world);
  const CollectivePlan& plan = world.collectives;
  const Job& job = plan.jobs[0];
  EXPECT_EQ(plan.collectives[0].slots, 4u);
  EXPECT_EQ(job.groups[0].channel_ends, 16u * 4);
  EXPECT_EQ(plan.collectives[0].phases, 31u);
  for (u32 c = 0; c < 4; ++c) {
    u32 channel_end = c, seen = 0;  // the channel end of channel c at GPU 0
    do {
      channel_end = plan.connections[plan.channel_ends[channel_end].send.connection[0]].recv_channel_end;
      ++seen;
    } while (channel_end != c && seen <= 16);
    EXPECT_EQ(seen, 16u);
  }
}

TEST(Rings, LeaveServersByEveryNicOnce) {
  const World world = built({ring_job()});
  std::multiset<u32> sends, receives;
  for (const Connection& c : world.collectives.connections) {
    EXPECT_EQ(c.nvlink, c.src / 4 == c.dst / 4);
    if (c.nvlink) continue;
    sends.insert(c.src);
    receives.insert(c.dst);
    EXPECT_EQ(c.dst % 4, c.channel);
    EXPECT_EQ(c.src % 4, (c.channel + 3) % 4);
  }
  for (u32 gpu = 0; gpu < 16; ++gpu) {
    EXPECT_EQ(sends.count(gpu), 1u);
    EXPECT_EQ(receives.count(gpu), 1u);
  }
}

TEST(Rings, WithoutServersHaveFourPlainChannels) {
  JobOptions options = job_of("all_gather", {1000, 2000});
  options.min_channel_bytes = 1;
  options.qps_per_connection = 4;
  options.collectives[0].repeat = 3;
  const World world = built({options}, 5);
  expect_sound_plan(world);
  EXPECT_EQ(world.collectives.connections.size(), 20u);
  EXPECT_EQ(world.traffic.qps.size(), 80u);
  EXPECT_EQ(world.collectives.collectives.size(), 6u);
  EXPECT_EQ(world.collectives.collectives[3].bytes, 2000u);
  EXPECT_EQ(world.collectives.collectives[0].phases, 5u);
}

TEST(SendRecv, AllToAllConnectsEveryPairInRounds) {
  const World compact = built({job_of("all_to_all", {1 << 20}, 4)}, 8), world = oracle::with_tables(compact);
  EXPECT_TRUE(compact.collectives.connections.empty() && compact.collectives.channel_ends.empty());
  EXPECT_TRUE(compact.traffic.qps.empty());
  EXPECT_EQ(count_connections(compact.collectives), 8u * 7 * 2);
  EXPECT_EQ(count_qps(compact), 8u * 4 * 2) << "to the other server";
  expect_sound_plan(world);
  const CollectivePlan& plan = world.collectives;
  EXPECT_EQ(plan.connections.size(), 8u * 7 * 2);
  EXPECT_EQ(plan.collectives[0].slots, 8u);
  EXPECT_EQ(plan.jobs[0].groups[0].window, 32u);
  EXPECT_EQ(plan.schedules[0].total, 1u) << "1 MiB / 8 ranks / 2 channels = 64 KiB";
  std::set<std::tuple<u32, u32, u32>> seen;
  u32 nvlinks = 0;
  for (const Connection& c : plan.connections) {
    seen.insert({c.src, c.dst, c.channel});
    nvlinks += c.nvlink ? 1 : 0;
  }
  EXPECT_EQ(seen.size(), plan.connections.size());
  EXPECT_EQ(nvlinks, 2u * 4 * 3 * 2);
  const ChannelEnd& first = plan.channel_ends[0];
  EXPECT_EQ(plan.connections[first.send.connection[0]].dst, 1u);
  EXPECT_EQ(first.order, 2u) << "round 1, channel 0 of 2";
  const ChannelEnd& first_recv = plan.channel_ends[14];
  EXPECT_TRUE(first_recv.send.none());
  EXPECT_EQ(plan.connections[first_recv.recv.connection[0]].src, 7u) << "round 1 receives from the rank before";
}

TEST(SendRecv, GatherMeetsAtTheRoot) {
  JobOptions options = job_of("gather", {16 << 20});
  options.root = 2;
  options.p2p_window_peers = 0;
  const World world = built({options});
  expect_sound_plan(world);
  EXPECT_EQ(world.collectives.connections.size(), 30u);
  for (const Connection& c : world.collectives.connections) EXPECT_EQ(c.dst, 2u);
  EXPECT_EQ(world.collectives.channel_ends.size(), 60u);
  EXPECT_EQ(world.collectives.jobs[0].groups[0].window, 0u);
  EXPECT_EQ(world.collectives.schedules[0].total, 4u) << "1 MiB a rank, 512 KiB a channel";
}

TEST(Jobs, KindsThatUseTheSameChannelEndsShareAGroup) {
  JobOptions job = job_of("all_reduce", {1 << 10, 1 << 28}, 4);
  job.nvls = false;
  job.collectives.push_back({.kind = "all_gather", .sizes_bytes = {1 << 20}});
  job.collectives.push_back({.kind = "broadcast", .sizes_bytes = {1 << 20}});
  job.collectives.push_back({.kind = "all_to_all", .sizes_bytes = {1 << 20}});
  const World world = built({job});
  expect_sound_plan(world);
  const CollectivePlan& plan = world.collectives;
  ASSERT_EQ(plan.jobs[0].groups.size(), 4u) << "rings, trees, the broadcast's chains, send/recv";
  EXPECT_EQ(plan.collectives[0].algorithm, Algorithm::tree);
  EXPECT_EQ(plan.collectives[0].protocol, Protocol::ll);
  EXPECT_EQ(plan.collectives[1].algorithm, Algorithm::ring);
  EXPECT_EQ(plan.collectives[1].protocol, Protocol::simple);
  EXPECT_EQ(plan.collectives[2].group, plan.collectives[1].group);
  EXPECT_EQ(plan.collectives[3].algorithm, Algorithm::ring);
  EXPECT_NE(plan.collectives[3].group, plan.collectives[1].group);
  EXPECT_EQ(plan.collectives[4].algorithm, Algorithm::p2p);
  u32 channel_ends = 0;
  for (const ChannelEndGroup& group : plan.jobs[0].groups) {
    EXPECT_EQ(group.first_channel_end, channel_ends);
    channel_ends += group.channel_ends;
  }
  EXPECT_EQ(channel_ends, plan.channel_ends.size());
}

/// A job's algorithm and protocol apply to those of its collectives that have them.
TEST(Jobs, SendRecvHasNoAlgorithmsAndNoLl128) {
  JobOptions job = job_of("all_reduce", {1 << 10}, 4);
  job.collectives.push_back({.kind = "all_to_all", .sizes_bytes = {1 << 10}});
  job.algorithm = "ring";
  job.protocol = "ll128";
  const World world = built({job});
  EXPECT_EQ(world.collectives.collectives[0].algorithm, Algorithm::ring);
  EXPECT_EQ(world.collectives.collectives[0].protocol, Protocol::ll128);
  EXPECT_EQ(world.collectives.collectives[1].algorithm, Algorithm::p2p);
  EXPECT_EQ(world.collectives.collectives[1].protocol, Protocol::simple);
}

TEST(Chains, BeginOrEndAtTheRoot) {
  for (const char* kind : {"broadcast", "reduce"}) {
    JobOptions job = job_of(kind, {1 << 20}, 4);
    job.protocol = "simple";
    job.channels = 4;
    job.root = 5;
    const World world = built({job});
    expect_sound_plan(world);
    EXPECT_EQ(world.collectives.connections.size(), 4u * 15);
    u32 only_send = 0, only_receive = 0;
    for (const ChannelEnd& channel_end : world.collectives.channel_ends) {
      (kind[0] == 'b' ? only_send : only_receive) += channel_end.gpu == 5;
      if (channel_end.recv.none()) ++only_send;
      if (channel_end.send.none()) ++only_receive;
    }
    EXPECT_EQ(only_send, kind[0] == 'b' ? 8u : 4u) << kind;
    EXPECT_EQ(only_receive, kind[0] == 'b' ? 4u : 8u) << kind;
    EXPECT_EQ(bytes_of(world.collectives.schedules[0]), 256u << 10);
  }
}

TEST(Jobs, TakeGpusFromEachOtherUnlessShared) {
  JobOptions half = job_of("all_reduce", {1 << 20}, 4);
  half.gpus = 8;
  World world = built({half, half});
  EXPECT_EQ(world.collectives.jobs[1].ranks.front(), 8u);
  expect_sound_plan(world);
  EXPECT_NE(config_error_of([&] {
              built({half, half, half});
            }).find("job[2].gpus: 8 GPUs asked for"),
            std::string::npos);
  half.share_gpus = true;
  world = built({half, half, half});
  EXPECT_EQ(world.collectives.jobs[2].ranks.front(), 0u);
}

/// As the folder's README.md says, parts of a size are rounded up to 16 B vectors; the size itself stays.
TEST(Jobs, OneByteIsRoundedUpPerChannel) {
  JobOptions job = job_of("all_to_all", {1});
  job.protocol = "simple";
  job.gpus = 8;
  job.p2p_channels = 2;
  const World world = built({job});
  const Collective& collective = world.collectives.collectives.at(0);
  EXPECT_EQ(collective.bytes, 1u);
  EXPECT_EQ(bytes_of(world.collectives.schedules.at(collective.schedule)), 16u);
  EXPECT_EQ(count_connections(world.collectives), 8u * 7 * 2);
}

/// Without an interval a stream's order alone decides.
TEST(Jobs, AnIntervalGivesEverySizeAndRepeatItsOwnStart) {
  JobOptions job = job_of("all_gather", {1 << 20, 2 << 20});
  job.collectives[0].repeat = 2;
  job.collectives[0].start_ps = 7;
  const auto starts = [](const World& world) {
    std::vector<TimePs> found;
    for (const Collective& collective : world.collectives.collectives) found.push_back(collective.start_ps);
    return found;
  };
  EXPECT_EQ(starts(built({job})), (std::vector<TimePs>{7, 7, 7, 7}));
  job.collectives[0].interval_ps = 1000;
  const World world = built({job});
  EXPECT_EQ(starts(world), (std::vector<TimePs>{7, 1007, 2007, 3007}));
  EXPECT_EQ(world.collectives.collectives[1].bytes, u64{1} << 20);
  EXPECT_EQ(world.collectives.collectives[2].bytes, u64{2} << 20);
}

/// A slot is a remainder of the slice's number, which must not wrap: twice 2^30 slices are one too many.
TEST(Jobs, SlicesOfAllCollectivesAreNumberedIn31Bits) {
  for (const char* kind : {"gather", "all_gather"}) {
    JobOptions job = job_of(kind, {u64{32} << 30});  // half of it goes from one of two GPUs to the other
    job.slice_bytes = job.p2p_slice_bytes = 16;
    job.channels = job.p2p_channels = 1;
    job.slices_per_chunk = 1;
    job.protocol = "simple";
    EXPECT_EQ(built({job}, 2).collectives.schedules[0].total, 1u << 30) << kind;
    job.collectives[0].repeat = 2;
    const std::string error = config_error_of([&] { built({job}, 2); });
    EXPECT_NE(error.find("is 2147483648 slices on every connection"), std::string::npos) << error;
    EXPECT_NE(error.find(kind[0] == 'g' ? "job[0].p2p_slice (now 16 B" : "job[0].slice (now 16 B"), std::string::npos)
        << error;
  }
}

TEST(Jobs, MistakesAreNamed) {
  const auto error = [](const JobOptions& job) { return config_error_of([&] { built({job}); }); };
  JobOptions job = job_of("all_reduce", {1 << 20}, 4);
  job.gpus = 32;
  EXPECT_NE(error(job).find("the fabric has 16"), std::string::npos);
  job.gpus = 17;
  EXPECT_NE(error(job).find("the fabric has 16"), std::string::npos) << "before anything about servers of 4";
  job.gpus = 16;
  job.first_gpu = 4;
  EXPECT_NE(error(job).find("finds 12"), std::string::npos);
  job.first_gpu = 0;
  job.gpus = 6;
  EXPECT_NE(error(job).find("whole servers"), std::string::npos);
  EXPECT_NE(error(job_of("all_reduce", {})).find("no sizes"), std::string::npos);
  EXPECT_NE(error(job_of("all_ruduce", {1})).find("choose one of all_reduce, "), std::string::npos);
  job = job_of("all_reduce", {1});
  job.algorithm = "tree";
  job.collectives.push_back({.kind = "broadcast", .sizes_bytes = {1}});
  EXPECT_NE(error(job).find("job[0].algorithm = \"tree\": broadcast has none of that name; choose auto or ring"),
            std::string::npos);
  job = job_of("gather", {1});
  job.algorithm = "ring";
  EXPECT_NE(error(job).find("gather travels by send/recv, which has no algorithms"), std::string::npos);
  job = job_of("gather", {1});
  job.root = 16;
  EXPECT_NE(error(job).find("root"), std::string::npos);
  job = job_of("all_reduce", {1});
  job.slice_bytes = 1000;
  EXPECT_NE(error(job).find("multiples of 16"), std::string::npos);
  job.collectives.clear();
  EXPECT_NE(error(job).find("slice"), std::string::npos);
}

}  // namespace
}  // namespace heddle
