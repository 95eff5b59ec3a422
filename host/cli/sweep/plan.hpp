// How many runs of a sweep this machine takes at a time, and what each may use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/cli/sweep/folder.hpp"
#include "host/scenario/memory/memory_need.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

/// As on the command line.
struct SweepRunArguments {
  std::optional<u32> jobs;     // none: as many as there are cores and memory for
  std::optional<u32> threads;  // of each run; none given: an equal share of the cores
  std::string memory;          // of each run; empty: an equal share of what one run may use
  std::string device = "auto";
};

struct SweepPlan {
  u32 jobs = 1;
  std::vector<std::string> options;  // of `heddle run`, the same for every run
  std::string text;                  // "2 at a time, each with at most 9.6 GB": for people
  std::string warning;               // may be empty
};

/// Of one run, without queued packets.
u64 needed_bytes(const World& world);

/// What each run may use as far as the arguments say it: --memory on the CPU. Throws ConfigError: --memory is no size,
/// or there is no such device.
MemoryBudget budget_of(const SweepRunArguments& arguments);

/// For `runs` runs, of which the largest needs so much. Throws ConfigError when more jobs are asked for than fit into
/// the memory, or than one on a GPU.
SweepPlan plan_for(u64 need_bytes, std::size_t runs, const SweepRunArguments& arguments);

/// Builds the world of every configuration, one at a time, for its memory (those that differ in the seed alone once;
/// what cannot be built will say so itself). Throws ConfigError as plan_for, and when a run does not fit into --memory.
SweepPlan plan_of(const std::vector<SweepEntry>& runs, const SweepRunArguments& arguments);

/// How many runs that are to have `each_bytes` fit into `most_bytes`, on `cores`; one always does.
u32 jobs_that_fit(u64 each_bytes, u64 most_bytes, u32 cores);

}  // namespace heddle
