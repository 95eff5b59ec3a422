// How many runs of a sweep this machine takes at a time, and how much each may use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/cli/sweep/folder.hpp"
#include "host/scenario/memory/memory_need.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

struct Cost;

/// As on the command line.
struct SweepRunArguments {
  std::optional<u32> jobs;     // none: as many as cores and memory allow
  std::optional<u32> threads;  // threads of each run; none: an equal share of the cores
  std::string memory;          // limit of each run; empty: an equal share of what one run may use
  std::string device = "auto";
};

struct SweepPlan {
  u32 jobs = 1;
  std::vector<std::string> options;  // options of `heddle run`, the same for every run
  std::string text;                  // "2 at a time, each with at most 9.6 GB": for people
  std::string warning;               // may be empty
};

/// Of one run, without queued packets.
u64 needed_bytes(const Cost& cost);

/// The memory limit of each run as far as the arguments give it: --memory on the CPU. Throws ConfigError when --memory
/// is no size, or there is no such device.
MemoryBudget budget_of(const SweepRunArguments& arguments);

/// The plan for `runs` runs, the largest of which needs `need_bytes`. Throws ConfigError when more jobs are asked for
/// than fit into the memory, or than one on a GPU.
SweepPlan plan_for(u64 need_bytes, std::size_t runs, const SweepRunArguments& arguments);

/// Builds the World of every configuration, one at a time, for its memory need (once for those that differ in the seed
/// alone; a World that cannot be built is reported by its run). Throws ConfigError as plan_for, or for too small a
/// --memory.
SweepPlan plan_of(const std::vector<SweepEntry>& runs, const SweepRunArguments& arguments);

/// How many runs of `each_bytes` fit into `max_bytes`, on `cores`; at least one.
u32 jobs_that_fit(u64 each_bytes, u64 max_bytes, u32 cores);

}  // namespace heddle
