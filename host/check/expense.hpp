// The cost of a run: memory, work and time, from the tables and a trial run of its beginning.
#pragma once

#include <string>
#include <vector>

#include "host/scenario/memory/memory_need.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Expense {
  std::string text;                   // for the terminal
  MemoryNeed memory;                  // without queued packets
  double cpu_s = 0;                   // on one core, as far as anybody can say
  TimePs simulated_ps = 0;            // how long the run will be; 0: that cannot be said beforehand
  bool may_be_longer = false;         // that is no bound
  std::vector<std::string> warnings;  // may be meant
};

/// The cost of a World that is not refused, whose set-up took `making_bytes` or is expected to. The trial takes about
/// `trial_cpu_s` on one core.
Expense expense_of(const World& world, double trial_cpu_s, u64 making_bytes = 0);

}  // namespace heddle
