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
  u32 tick_divisor = 1;         // the largest legal tick that is at most tick / this
  u64 cut_seed = 0;             // ranks are threads that simulate a part each, of random nodes; and where legs end
  std::vector<u32> legs = {1};  // ranks of each: from leg to leg the run is saved, and another one goes on from there
  bool observed = false;        // advance in odd steps, reading counters and events in between
};

/// The `index`-th of the variants, in turn; 0 is the plain one: one thread, Serial team.
Variant variant(u64 index);
inline constexpr u64 kVariants = 15;

}  // namespace heddle::property
