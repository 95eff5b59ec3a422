// The share of a run's time that its checkpoints take, and a warning when it is too large.
#pragma once

#include <string>

#include "kernels/base/types.hpp"

namespace heddle {

struct CheckpointOptions;

/// The cost of saving in one process run.
struct SavingCost {
  double wall_s = 0;    // since the start
  double saving_s = 0;  // part of it, in `saves` saves
  u64 saves = 0;
};

/// The warning when saving takes more than 10 % of the time, with intervals at which it would not; "" when it does not,
/// or before it has taken a second in all: a short run needs no advice.
std::string saving_warning(const SavingCost& cost, const CheckpointOptions& options);

}  // namespace heddle
