// How much memory a run may use: control groups of both versions, --memory.
#include <gtest/gtest.h>

#include "host/base/error.hpp"
#include "host/cli/memory.hpp"
#include "tests/host/cli/group_files.hpp"

namespace heddle {
namespace {

using CgroupTree = test::GroupFiles;

TEST_F(CgroupTree, NoLimit) {
  EXPECT_EQ(cgroup_limit_bytes("", root_), UINT64_MAX);
  EXPECT_EQ(cgroup_limit_bytes("0::/\n", root_ / "missing"), UINT64_MAX);
  write("user/memory.max", "max\n");
  EXPECT_EQ(cgroup_limit_bytes("0::/user\n", root_), UINT64_MAX);
}

TEST_F(CgroupTree, VersionTwoTakesTheLeastOnTheWayUp) {
  write("slurm/memory.max", "4000000000\n");
  write("slurm/job_7/memory.max", "max\n");
  write("slurm/job_7/step_0/memory.max", "5000000000\n");
  EXPECT_EQ(cgroup_limit_bytes("0::/slurm/job_7/step_0\n", root_), 4'000'000'000u);
  write("slurm/job_7/memory.max", "3000000000\n");
  EXPECT_EQ(cgroup_limit_bytes("0::/slurm/job_7/step_0\n", root_), 3'000'000'000u);
  EXPECT_EQ(cgroup_limit_bytes("0::/other\n", root_), UINT64_MAX) << "not our group";
}

TEST_F(CgroupTree, VersionOneAndBothTogether) {
  write("memory/job/memory.limit_in_bytes", "2000000000\n");
  EXPECT_EQ(cgroup_limit_bytes("3:cpu,memory:/job\n2:cpuset:/\n", root_), 2'000'000'000u);
  EXPECT_EQ(cgroup_limit_bytes("3:cpu:/job\n", root_), UINT64_MAX) << "another controller";
  write("unified/job/memory.max", "1000000000\n");
  EXPECT_EQ(cgroup_limit_bytes("3:memory:/job\n0::/job\n", root_), 1'000'000'000u);
}

TEST_F(CgroupTree, ContainerSeesItsOwnGroupAtTheRoot) {
  write("memory/memory.limit_in_bytes", "6000000000\n");
  EXPECT_EQ(cgroup_limit_bytes("4:memory:/docker/0123\n", root_), 6'000'000'000u);
}

TEST(Memory, Argument) {
  EXPECT_EQ(memory_of("6GiB"), 6ull << 30);
  EXPECT_EQ(memory_of("64 MB"), 64'000'000u);
  EXPECT_EQ(memory_of("1000000"), 1'000'000u);
  EXPECT_THROW(memory_of("much"), ConfigError);
  EXPECT_THROW(memory_of("4Mb"), ConfigError) << "megabits";
  EXPECT_THROW(memory_of("0"), ConfigError);
  EXPECT_GT(default_memory_bytes(), 1'000'000u);
}

}  // namespace
}  // namespace heddle
