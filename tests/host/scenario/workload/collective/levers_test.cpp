// Options of admission, and uneven all-to-alls: their effect on a job, and refusals.
#include <gtest/gtest.h>

#include <memory>

#include "host/scenario/build.hpp"
#include "host/scenario/hashes.hpp"
#include "host/scenario/workload/workload.hpp"
#include "tests/host/scenario/topology/worlds.hpp"

namespace heddle {
namespace {

using namespace testing_worlds;

World built(const JobOptions& job) {
  World world = world_of(star_options(4));
  WorkloadInput input;
  input.jobs = {job};
  build_workload(input, world);
  return world;
}

std::string error(const JobOptions& job) {
  return config_error_of([&] { built(job); });
}

JobOptions job_of(const char* kind, std::vector<u64> sizes) {
  JobOptions job;
  job.gpus_per_server = 1;
  job.collectives = {{.kind = kind, .sizes_bytes = std::move(sizes)}};
  return job;
}

TEST(Levers, EagerUpToASize) {
  JobOptions job = job_of("all_gather", {1000, 1001});
  EXPECT_FALSE(built(job).collectives.collectives[0].eager);
  job.eager_bytes = 1000;
  const World world = built(job);
  EXPECT_TRUE(world.collectives.collectives[0].eager);
  EXPECT_FALSE(world.collectives.collectives[1].eager);
}

TEST(Levers, ACtsAdmitsWholeChunksOrIsRefused) {
  JobOptions job = job_of("all_reduce", {1 << 20});
  job.algorithm = "ring";
  job.protocol = "simple";
  job.slices_per_cts = 2;
  EXPECT_EQ(built(job).collectives.jobs[0].slices_per_cts, 2u);
  job.slices_per_cts = 3;
  EXPECT_NE(error(job).find("job[0].slices_per_cts = 3: must be 1, 2, 4 or 8"), std::string::npos);
  job.slices_per_cts = 8;
  EXPECT_NE(error(job).find("connections of 12 slices and 4 slots"), std::string::npos) << error(job);
  job.slices_per_cts = 2;
  job.algorithm = "tree";
  job.collectives[0].sizes_bytes = {1};
  EXPECT_NE(error(job).find("set job[0].algorithm = \"ring\""), std::string::npos) << error(job);
  job = job_of("all_to_all", {u64{4} * 2 * 2 * (128 << 10)});
  job.slices_per_cts = 2;
  EXPECT_FALSE(built(job).collectives.jobs[0].all_pairs) << "in closed form every slice has its CTS";
}

JobOptions uneven(u32 ranks, std::vector<u64> bytes) {
  JobOptions job = job_of("all_to_all_v", {});
  job.p2p_channels = 2;
  job.collectives[0].matrix_file = "m.txt";
  job.collectives[0].matrix = std::make_shared<const PlainByteMatrix>(PlainByteMatrix{ranks, std::move(bytes)});
  return job;
}

/// By rank, then round: rank 0 sends to 1, 2, 3; rank 1 to 2, 3, 0; ...
TEST(AllToAllV, EveryPairHasAScheduleOfItsOwn) {
  const World world = built(uneven(4, {0, 100, 200, 300, 4, 0, 5, 6, 7, 8, 0, 900'000, 1, 0, 0, 0}));
  const CollectivePlan& plan = world.collectives;
  ASSERT_EQ(plan.collectives.size(), 1u);
  const Collective& c = plan.collectives[0];
  EXPECT_EQ(c.bytes, 900'306u) << "what rank 3 receives";
  ASSERT_EQ(c.schedules, 12u);
  const ChannelEndGroup& group = plan.jobs[0].groups[0];
  ASSERT_EQ(group.connections, 24u);
  for (u32 i = 0; i < group.connections; ++i) {
    const Connection& connection = plan.connections[group.first_connection + i];
    const std::vector<std::vector<u64>> bytes = {{0, 100, 200, 300}, {4, 0, 5, 6}, {7, 8, 0, 900'000}, {1, 0, 0, 0}};
    const u64 all = bytes[connection.src][connection.dst];
    const SliceSchedule& schedule = plan.schedules[schedule_of(c, group, group.first_connection + i)];
    EXPECT_EQ(bytes_of(schedule), ((all + 1) / 2 + 15) / 16 * 16) << "half on each channel, in whole vectors";
    EXPECT_GE(schedule.total, 1u) << "an empty slice where there is nothing";
  }
}

/// The busiest rank sends the same: a run must still not resume from a checkpoint of the other matrix.
TEST(AllToAllV, AnotherMatrixIsAnotherWorkload) {
  std::vector<u64> bytes = {0, 9000, 9000, 9000, 500, 0, 500, 500, 500, 500, 0, 500, 500, 500, 500, 0};
  const World a = built(uneven(4, bytes));
  bytes[14] = 700;
  const World b = built(uneven(4, bytes));
  ASSERT_EQ(a.collectives.collectives[0].bytes, b.collectives.collectives[0].bytes);
  EXPECT_NE(workload_hash(a), workload_hash(b));
}

TEST(AllToAllV, RepeatsShareTheirSchedules) {
  JobOptions job = uneven(4, std::vector<u64>(16, 5000));
  job.collectives[0].repeat = 3;
  job.collectives[0].interval_ps = 1'000'000;
  const World world = built(job);
  ASSERT_EQ(world.collectives.collectives.size(), 3u);
  EXPECT_EQ(world.collectives.schedules.size(), 12u);
}

TEST(AllToAllV, MistakesAreNamed) {
  JobOptions job = job_of("all_to_all_v", {});
  EXPECT_NE(error(job).find("job[0].collective[0].matrix_file: an all_to_all_v needs it"), std::string::npos);
  EXPECT_NE(error(uneven(2, {0, 1, 1, 0})).find("m.txt is for 2 ranks, and the job has 4 GPUs"), std::string::npos);
  EXPECT_NE(error(uneven(4, std::vector<u64>(16, 0))).find("nobody sends anything"), std::string::npos);
  job = uneven(4, std::vector<u64>(16, 1));
  job.collectives[0].sizes_bytes = {1};
  EXPECT_NE(error(job).find("leave sizes out"), std::string::npos);
}

}  // namespace
}  // namespace heddle
