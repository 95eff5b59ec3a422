// How many cores a run may use, and how many threads that makes.
#pragma once

#include <filesystem>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

/// What is known about the cores of a machine; UINT32_MAX: it sets no limit.
struct Cores {
  u32 own = UINT32_MAX;   // of this process: its affinity, SLURM_CPUS_PER_TASK
  u32 node = UINT32_MAX;  // of the processes of a run on this machine: those online, control groups, SLURM_CPUS_ON_NODE
};

/// Of this process, now.
Cores cores_of_process();

/// What each of `processes` on this machine may use, at least 1.
u32 usable_cores(const Cores& cores, u32 processes = 1);

/// Whole cores of the least quota of the control groups that `membership` names below `root` (control_groups.hpp), at
/// least 1: cpu.max in version 2, cpu.cfs_quota_us in version 1. UINT32_MAX without any.
u32 cgroup_cores(std::string_view membership, const std::filesystem::path& root);

/// When nothing is said: as many threads as cores, but not more than can find something to do in ticks of so many
/// `nodes`, nor than 16, as more have never been measured.
u32 default_threads(u32 cores, u64 nodes);

}  // namespace heddle
