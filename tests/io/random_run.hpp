// A run of random events and counters that can be resumed from any step.
#pragma once

#include <string>

#include "io/results/writer.hpp"

namespace heddle::test {

/// In about half the steps an instant of the series, in some with counters as before; and up to 400 events: pauses and
/// resumes (some without the other), drops, completions. All follow from seed and step.
void random_step(ResultWriter& writer, const World& world, u64 seed, u64 step);
void random_steps(ResultWriter& writer, const World& world, u64 seed, u64 first, u64 end);

/// The whole run in one go. Returns the path.
std::string uninterrupted_run(const std::string& path, const World& world, const ResultSettings& settings, u64 seed,
                              u64 steps);

}  // namespace heddle::test
