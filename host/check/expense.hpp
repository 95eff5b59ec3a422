// What a run takes: memory, work and time, from the tables and a trial run of its first moments.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct Expense {
  std::string text;                   // for the terminal
  double cpu_s = 0;                   // on one core, as far as anybody can say
  TimePs simulated_ps = 0;            // how long the run will be; 0: that cannot be said beforehand
  bool may_be_longer = false;         // that is no bound
  std::vector<std::string> warnings;  // may be meant
};

/// Of a World that is not refused, whose making took so much memory, or must be expected to. The trial takes about so
/// long on one core.
Expense expense_of(const World& world, double trial_cpu_s, u64 making_bytes = 0);

}  // namespace heddle
