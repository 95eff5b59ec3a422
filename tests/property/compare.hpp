// Engine against oracle on one world, to the bit.
#pragma once

#include <string>

#include "kernels/engine.hpp"
#include "kernels/world.hpp"

namespace heddle::property {

/// A way to run the engine that must not change the result.
struct Variant {
  std::string name;
  EngineOptions options;
  u32 tick_divisor = 1;   // the largest legal tick that is at most tick / this
  bool observed = false;  // advance in odd steps, reading counters and events in between
};

/// The `index`-th of the variants, in turn; 0 is the plain one: one thread, Serial team.
Variant variant(u64 index);
inline constexpr u64 kVariants = 10;

/// Runs the engine and compares it with what the oracle made of the same world, departures included: reason, end,
/// digest, totals, messages, collectives. Empty when all is the same; else what differs, and the first event that does.
std::string compare_with_oracle(const World& world, const Outcome& oracle, const Variant& variant);

}  // namespace heddle::property
