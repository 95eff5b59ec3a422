// How much memory a run may use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/scenario/memory/memory_need.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// The size that --memory gives ("6 GiB", "6GB", a number of bytes). Throws ConfigError when it is no size.
u64 memory_of(const std::string& argument);

/// The limit of `ulimit -v`, against which memory reserved for packets counts as a whole. UINT64_MAX without a limit.
u64 address_space_bytes();

/// The default limit: 80 % of the least of the machine's memory and what the control groups of this process allow,
/// divided by `processes`, and of address_space_bytes(); the rest is for the tables of the World, the result file and
/// other programs.
u64 default_memory_bytes(u32 processes = 1);

/// The same limit as the budget of each of `ranks` processes, `processes` of which are on this machine.
MemoryBudget default_memory_budget(u32 processes, u32 ranks);

/// The least memory limit of the control groups that `membership` (the text of /proc/self/cgroup) names below `root`
/// (/sys/fs/cgroup), and of the groups above them: memory.max in version 2, memory.limit_in_bytes in version 1. A
/// container often sees only its own group, mounted at the root: missing folders are skipped. UINT64_MAX without any
/// limit.
u64 cgroup_limit_bytes(std::string_view membership, const std::filesystem::path& root);

}  // namespace heddle
