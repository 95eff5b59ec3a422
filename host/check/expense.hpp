// The cost of a run: memory, work and time, from the tables and a trial run of its beginning.
#pragma once

#include <string>
#include <vector>

#include "host/check/estimates/run_time.hpp"
#include "host/scenario/memory/memory_need.hpp"
#include "kernels/world/world.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {

struct Expense {
  std::string text;    // for the terminal
  MemoryNeed memory;   // without queued packets
  u64 peak_bytes = 0;  // of one process, with the packets that probably queue
  RunTime time;
  std::vector<std::string> warnings;  // may be meant
};

/// The cost of a World that is not refused, whose set-up took `making_bytes` or is expected to. The trial takes about
/// `trial_cpu_s` on one core.
Expense expense_of(const World& world, double trial_cpu_s, u64 making_bytes = 0);

/// What that run takes on the ranks of `cut`, and what to ask Slurm for.
std::string on_ranks_text(const Expense& expense, const Cut& cut, TimePs tick_ps);

}  // namespace heddle
