// The launch parameters that suit a GPU and a case best, by trying them.
#pragma once

#include <functional>
#include <vector>

#include "kernels/backends/gpu/launch_parameters.hpp"
#include "tests/bench/measure.hpp"

namespace heddle::bench {

struct Try {
  LaunchParameters launch;
  Measurement measured;
};

struct Tuned {
  std::vector<Try> tries;  // in order; the first with the defaults
  LaunchParameters best;
};

using Tried = std::function<Measurement(const LaunchParameters& launch)>;

/// Tries all combinations of threads and ports of small teams, which depend on each other, then one by one the threads
/// of big switches and of endpoints, and the ticks of a graph; each with the best found before. None twice. `each` is
/// told of every try when it is over. Throws std::runtime_error when a try gives other bits than the defaults.
Tuned tune(const Tried& measure, const std::function<void(const Try&)>& each);

}  // namespace heddle::bench
