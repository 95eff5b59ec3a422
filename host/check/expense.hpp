// The cost of a run: memory, work and time, from the tables and a trial run of its beginning.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"

namespace heddle {

struct Expense {
  std::string text;                   // for the terminal
  double cpu_s = 0;                   // on one core, as far as known
  TimePs simulated_ps = 0;            // expected simulated time; 0: unknown
  bool may_be_longer = false;         // simulated_ps is no upper bound
  std::vector<std::string> warnings;  // problems that may be intended
};

/// The cost of a World that is not refused, whose set-up took `making_bytes` or is expected to. The trial takes about
/// `trial_cpu_s` on one core.
Expense expense_of(const World& world, double trial_cpu_s, u64 making_bytes = 0);

}  // namespace heddle
