// The cores that a run may use, and the default number of threads.
#pragma once

#include <filesystem>
#include <string_view>

#include "kernels/base/types.hpp"

namespace heddle {

/// The known limits on the cores of a machine; UINT32_MAX: no limit.
struct Cores {
  u32 own = UINT32_MAX;   // limit of this process: its affinity, SLURM_CPUS_PER_TASK
  u32 node = UINT32_MAX;  // limit of a run's processes here: cores online, control groups, SLURM_CPUS_ON_NODE
};

/// The present limits of this process.
Cores cores_of_process();

/// The cores that each of `processes` on this machine may use, at least 1.
u32 usable_cores(const Cores& cores, u32 processes = 1);

/// The whole cores of the least quota of the control groups that `membership` names below `root` (control_groups.hpp),
/// at least 1: cpu.max in version 2, cpu.cfs_quota_us in version 1. UINT32_MAX without any.
u32 cgroup_cores(std::string_view membership, const std::filesystem::path& root);

/// The default number of threads: at most one per core, no more than are useful in ticks of `nodes`, and at most 16, as
/// more have never been measured.
u32 default_threads(u32 cores, u64 nodes);

}  // namespace heddle
