// The ways to run the engine that must not change a result.
#pragma once

#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"

namespace heddle::property {

/// A way to run the engine that must not change the result.
struct Variant {
  std::string name;
  EngineOptions options;
  u32 tick_divisor = 1;         // the tick is the largest legal one that is at most tick / tick_divisor
  u64 cut_seed = 0;             // of the random parts that ranks (threads) simulate, and of the ends of legs
  std::vector<u32> legs = {1};  // ranks of each leg: after a leg the run is saved, and another engine resumes it
  bool observed = false;        // advance in odd steps, reading counters and events in between
};

/// Returns the `index`-th of the variants, in turn; 0 is the plain one: one thread, Serial team.
Variant variant(u64 index);
inline constexpr u64 kVariants = 15;

}  // namespace heddle::property
