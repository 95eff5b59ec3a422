// How many cores a run may use (control groups of both versions, Slurm, other ranks), and the number of threads from
// that.
#include "host/cli/cores.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/host/cli/group_files.hpp"

namespace heddle {
namespace {

using CpuGroups = test::GroupFiles;

TEST_F(CpuGroups, VersionTwoTakesTheLeastOnTheWayUp) {
  EXPECT_EQ(cgroup_cores("0::/slurm/job_7\n", root_), UINT32_MAX);
  write("slurm/job_7/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cores("0::/slurm/job_7\n", root_), UINT32_MAX);
  write("slurm/cpu.max", "800000 100000\n");
  EXPECT_EQ(cgroup_cores("0::/slurm/job_7\n", root_), 8u);
  write("slurm/job_7/cpu.max", "390000 100000\n");
  EXPECT_EQ(cgroup_cores("0::/slurm/job_7\n", root_), 3u) << "a fourth one would be stopped in every period";
  EXPECT_EQ(cgroup_cores("0::/other\n", root_), UINT32_MAX) << "not our group";
}

TEST_F(CpuGroups, VersionOne) {
  write("cpu/job/cpu.cfs_quota_us", "200000\n");
  write("cpu/job/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cgroup_cores("3:cpu,cpuacct:/job\n", root_), 4u);
  EXPECT_EQ(cgroup_cores("3:memory:/job\n", root_), UINT32_MAX) << "another controller";
  write("cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroup_cores("3:cpu,cpuacct:/job\n", root_), UINT32_MAX);
}

TEST_F(CpuGroups, LessThanACoreIsOne) {
  write("cpu.max", "20000 100000\n");
  EXPECT_EQ(cgroup_cores("0::/\n", root_), 1u);
  write("cpu.max", "nonsense\n");
  EXPECT_EQ(cgroup_cores("0::/\n", root_), UINT32_MAX);
}

TEST(UsableCores, AreSharedByTheRanksOfAMachine) {
  EXPECT_EQ(usable_cores({.own = 16, .node = 16}), 16u);
  EXPECT_EQ(usable_cores({.own = 16, .node = 16}, 4), 4u) << "not bound: all see all";
  EXPECT_EQ(usable_cores({.own = 4, .node = 16}, 4), 4u) << "bound to four each";
  EXPECT_EQ(usable_cores({.own = 1, .node = 16}, 4), 1u) << "bound to one each, as mpirun does";
  EXPECT_EQ(usable_cores({.own = 2, .node = 2}, 4), 1u);
}

TEST(UsableCores, SlurmSaysHowMany) {
  const u32 own = usable_cores(cores_of_process());
  ::setenv("SLURM_CPUS_PER_TASK", "1", 1);
  EXPECT_EQ(cores_of_process().own, 1u);
  ::setenv("SLURM_CPUS_PER_TASK", "many", 1);
  EXPECT_EQ(usable_cores(cores_of_process()), own);
  ::unsetenv("SLURM_CPUS_PER_TASK");
  ::setenv("SLURM_CPUS_ON_NODE", "1", 1);
  EXPECT_EQ(cores_of_process().node, 1u);
  ::unsetenv("SLURM_CPUS_ON_NODE");
}

TEST(DefaultThreads, AreThoseThatFindSomethingToDo) {
  EXPECT_EQ(default_threads(8, 10), 1u);
  EXPECT_EQ(default_threads(0, 10), 1u);
  EXPECT_EQ(default_threads(8, 47), 1u) << "no tick of so few nodes is shared";
  EXPECT_EQ(default_threads(8, 48), 2u);
  EXPECT_EQ(default_threads(8, 30'000), 8u);
  EXPECT_EQ(default_threads(128, 30'000), 16u) << "more have not been measured";
}

}  // namespace
}  // namespace heddle
