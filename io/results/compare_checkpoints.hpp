// The checkpoints of training jobs of several runs, as `heddle compare` shows them.
#pragma once

#include <span>
#include <string>

#include "io/results/reader.hpp"

namespace heddle {

/// A table with a column per run: what each checkpoint wrote, by which fabric, how fast, and what steps lost by it.
/// A run without it shows the times of the same steps. Empty where no run writes a checkpoint.
std::string compare_checkpoints(std::span<const RunSummary> runs, const std::vector<std::string>& header);

}  // namespace heddle
