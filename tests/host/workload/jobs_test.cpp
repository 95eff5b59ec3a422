// Collectives: slice laws, rings, send/recv lanes, placement of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/workload/slice_law.hpp"
#include "tests/host/topology/worlds.hpp"
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

/// Slice by slice, as the engine walks the law.
u64 walked_bytes(const SliceLaw& law) {
  u64 sum = 0;
  for (u32 i = 0; i < law.total; ++i) {
    sum += i < law.full ? law.full_bytes : law.tail_bytes[(i - law.full) % law.tail_period];
  }
  return sum;
}

TEST(SliceLaw, RingsCarryTheirBytesOncePerHop) {
  const JobOptions options;
  for (const u32 ranks : {2u, 3u, 8u, 17u}) {
    for (const u64 bytes : {u64{16}, u64{4096}, u64{1} << 20, u64{33'333'344}, u64{1} << 28}) {
      const u32 hops = 2 * (ranks - 1);
      const RingCut cut = cut_ring(bytes, ranks, hops, options);
      const u64 carried = walked_bytes(cut.law);
      EXPECT_EQ(carried, total_bytes(cut.law));
      EXPECT_GE(carried * ranks, bytes * hops) << ranks << " " << bytes;
      EXPECT_LE(carried * ranks, bytes * hops + u64{16} * ranks * hops) << "rounding to 16 B only";
      EXPECT_EQ(cut.law.full % (hops * cut.slices_full), 0u);
      EXPECT_EQ((cut.law.total - cut.law.full) % (hops * cut.slices_tail), 0u);
      EXPECT_LE(cut.law.tail_bytes[0], options.slice_bytes);
      EXPECT_LE(cut.law.tail_bytes[1], cut.law.tail_bytes[0]);
    }
  }
}

TEST(SliceLaw, TailOfARing) {
  const JobOptions options;
  // 4 ranks: a full loop is 4 x 2 MiB; the rest of 4 x 100,000 B makes chunks of 100,000 B in two halves
  const RingCut cut = cut_ring((u64{8} << 20) + 400'000, 4, 6, options);
  EXPECT_EQ(cut.law.full, 12u);
  EXPECT_EQ(cut.law.total, 24u);
  EXPECT_EQ(cut.law.tail_bytes[0], 50'000u);
  EXPECT_EQ(cut.law.tail_bytes[1], 50'000u);
  const RingCut odd = cut_ring(4 * 80'016, 4, 3, options);
  EXPECT_EQ(odd.law.tail_bytes[0], 40'016u) << "the first half is rounded up to 16";
  EXPECT_EQ(odd.law.tail_bytes[1], 40'000u);
}

/// NCCL's genericOp: slices of at least 1/32 of a full one, and as many of them as ever.
TEST(SliceLaw, SmallChunksHaveAShortOrEmptySecondSlice) {
  const JobOptions options;
  const RingCut between = cut_ring(4 * 40'000, 4, 3, options);
  EXPECT_EQ(between.law.tail_bytes[0], 32'768u);
  EXPECT_EQ(between.law.tail_bytes[1], 7'232u);
  const RingCut small = cut_ring(4 * 32'768, 4, 3, options);
  EXPECT_EQ(small.slices_tail, 2u);
  EXPECT_EQ(small.law.total, 6u);
  EXPECT_EQ(small.law.tail_bytes[0], 32'768u);
  EXPECT_EQ(small.law.tail_bytes[1], 0u);
  JobOptions one;
  one.slices_per_chunk = 1;
  EXPECT_EQ(cut_ring(4 * 32'768, 4, 3, one).law.total, 3u);
}

TEST(SliceLaw, HalvesDownToAVector) {
  JobOptions options;
  options.min_slice_bytes = 0;
  for (u64 bytes = 16; bytes < 4096; bytes += 16) {
    const RingCut cut = cut_ring(bytes, 3, 4, options);
    EXPECT_GT(cut.law.tail_bytes[0], 0u);
    EXPECT_LE(cut.law.tail_bytes[0] - cut.law.tail_bytes[1], 16u) << bytes;
  }
}

TEST(SliceLaw, SendRecv) {
  const JobOptions options;
  const SliceLaw law = cut_point_to_point((u64{128} << 10) * 3 + 48, options);
  EXPECT_EQ(law.total, 4u);
  EXPECT_EQ(law.full, 3u);
  EXPECT_EQ(walked_bytes(law), (u64{128} << 10) * 3 + 48);
  EXPECT_EQ(channel_bytes(100, 3), 48u);
}

void expect_sound_plan(const World& world) {
  const CollectivePlan& plan = world.collectives;
  for (u32 c = 0; c < plan.connections.size(); ++c) {
    const Connection& connection = plan.connections[c];
    ASSERT_LT(connection.send_lane, plan.lanes.size());
    ASSERT_LT(connection.recv_lane, plan.lanes.size());
    EXPECT_EQ(plan.lanes[connection.send_lane].send, c);
    EXPECT_EQ(plan.lanes[connection.recv_lane].recv, c);
    EXPECT_EQ(plan.lanes[connection.send_lane].gpu, connection.src);
    EXPECT_EQ(plan.lanes[connection.recv_lane].gpu, connection.dst);
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
    for (u32 l = job.first_lane + 1; l < job.first_lane + job.lanes; ++l) {
      EXPECT_GE(plan.lanes[l].gpu, plan.lanes[l - 1].gpu) << "lanes are ordered by GPU";
    }
  }
  for (u64 q = 1; q < world.traffic.qps.size(); ++q) {
    EXPECT_GE(world.traffic.qps[q].src, world.traffic.qps[q - 1].src);
  }
}

TEST(Rings, PassEveryRankOnceOnEveryChannel) {
  const World world = built({job_of("all_reduce", {1 << 20}, 4)});
  expect_sound_plan(world);
  const CollectivePlan& plan = world.collectives;
  const Job& job = plan.jobs[0];
  EXPECT_EQ(job.slots, 4u);
  EXPECT_EQ(job.lanes, 16u * 4);
  EXPECT_EQ(plan.collectives[0].phases, 31u);
  for (u32 c = 0; c < 4; ++c) {
    u32 lane = c, seen = 0;  // the lane of channel c at GPU 0
    do {
      lane = plan.connections[plan.lanes[lane].send].recv_lane;
      ++seen;
    } while (lane != c && seen <= 16);
    EXPECT_EQ(seen, 16u);
  }
}

TEST(Rings, LeaveServersByEveryNicOnce) {
  const World world = built({job_of("all_reduce", {1 << 20}, 4)});
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

TEST(Rings, WithoutServersHaveTwoPlainChannels) {
  JobOptions options = job_of("all_gather", {1000, 2000});
  options.qps_per_connection = 4;
  options.collectives[0].repeat = 3;
  const World world = built({options}, 5);
  expect_sound_plan(world);
  EXPECT_EQ(world.collectives.connections.size(), 10u);
  EXPECT_EQ(world.traffic.qps.size(), 40u);
  EXPECT_EQ(world.collectives.collectives.size(), 6u);
  EXPECT_EQ(world.collectives.collectives[3].bytes, 2000u);
  EXPECT_EQ(world.collectives.collectives[0].phases, 5u);
}

TEST(SendRecv, AllToAllConnectsEveryPairInRounds) {
  const World compact = built({job_of("all_to_all", {1 << 20}, 4)}, 8), world = oracle::with_tables(compact);
  EXPECT_TRUE(compact.collectives.connections.empty() && compact.collectives.lanes.empty());
  EXPECT_TRUE(compact.traffic.qps.empty());
  EXPECT_EQ(count_connections(compact.collectives), 8u * 7 * 2);
  EXPECT_EQ(count_qps(compact), 8u * 4 * 2) << "to the other server";
  expect_sound_plan(world);
  const CollectivePlan& plan = world.collectives;
  EXPECT_EQ(plan.connections.size(), 8u * 7 * 2);
  EXPECT_EQ(plan.jobs[0].slots, 8u);
  EXPECT_EQ(plan.jobs[0].p2p_window, 32u);
  EXPECT_EQ(plan.laws[0].total, 1u) << "1 MiB / 8 ranks / 2 channels = 64 KiB";
  std::set<std::tuple<u32, u32, u32>> seen;
  u32 nvlinks = 0;
  for (const Connection& c : plan.connections) {
    seen.insert({c.src, c.dst, c.channel});
    nvlinks += c.nvlink ? 1 : 0;
  }
  EXPECT_EQ(seen.size(), plan.connections.size());
  EXPECT_EQ(nvlinks, 2u * 4 * 3 * 2);
  const Lane& first = plan.lanes[0];
  EXPECT_EQ(plan.connections[first.send].dst, 1u);
  EXPECT_EQ(first.order, 2u) << "round 1, channel 0 of 2";
  const Lane& first_recv = plan.lanes[14];
  EXPECT_EQ(first_recv.send, kNone);
  EXPECT_EQ(plan.connections[first_recv.recv].src, 7u) << "round 1 receives from the rank before";
}

TEST(SendRecv, GatherMeetsAtTheRoot) {
  JobOptions options = job_of("gather", {16 << 20});
  options.root = 2;
  options.p2p_window_peers = 0;
  const World world = built({options});
  expect_sound_plan(world);
  EXPECT_EQ(world.collectives.connections.size(), 30u);
  for (const Connection& c : world.collectives.connections) EXPECT_EQ(c.dst, 2u);
  EXPECT_EQ(world.collectives.lanes.size(), 60u);
  EXPECT_EQ(world.collectives.jobs[0].p2p_window, 0u);
  EXPECT_EQ(world.collectives.laws[0].total, 4u) << "1 MiB a rank, 512 KiB a channel";
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

/// As README.md of the folder says: parts of a size are rounded up to 16 B vectors, the size itself stays.
TEST(Jobs, OneByteIsRoundedUpPerChannel) {
  JobOptions job = job_of("all_to_all", {1});
  job.gpus = 8;
  job.p2p_channels = 2;
  const World world = built({job});
  const Collective& collective = world.collectives.collectives.at(0);
  EXPECT_EQ(collective.bytes, 1u);
  EXPECT_EQ(total_bytes(world.collectives.laws.at(collective.law)), 16u);
  EXPECT_EQ(count_connections(world.collectives), 8u * 7 * 2);
}

/// A slot is a remainder of the slice's number, which must not wrap: 2^30 slices twice are one too many.
TEST(Jobs, SlicesOfAllCollectivesAreNumberedIn31Bits) {
  for (const char* kind : {"gather", "all_gather"}) {
    JobOptions job = job_of(kind, {u64{32} << 30});  // half of it from one of two GPUs to the other
    job.slice_bytes = job.p2p_slice_bytes = 16;
    job.channels = job.p2p_channels = 1;
    job.slices_per_chunk = 1;
    EXPECT_EQ(built({job}, 2).collectives.laws[0].total, 1u << 30) << kind;
    job.collectives[0].repeat = 2;
    const std::string error = config_error_of([&] { built({job}, 2); });
    EXPECT_NE(error.find("job[0].collective: all its sizes and repetitions are 2147483648 slices on every connection"),
              std::string::npos)
        << error;
    EXPECT_NE(error.find(kind[0] == 'g' ? "job[0].p2p_slice (now 16 B)" : "job[0].slice (now 16 B)"), std::string::npos)
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
  EXPECT_NE(error(job_of("broadcast", {1})).find("broadcast"), std::string::npos);
  job = job_of("all_reduce", {1});
  job.collectives.push_back({.kind = "gather", .sizes_bytes = {1}});
  EXPECT_NE(error(job).find("Make two jobs"), std::string::npos);
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
