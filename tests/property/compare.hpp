// Engine against oracle on one world, to the bit.
#pragma once

#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "kernels/world.hpp"

namespace heddle::property {

/// A way to run the engine that must not change the result.
struct Variant {
  std::string name;
  EngineOptions options;
  u32 tick_divisor = 1;   // the largest legal tick that is at most tick / this
  u32 ranks = 1;          // threads that simulate a part each, of random nodes
  u64 cut_seed = 0;       // of that
  bool observed = false;  // advance in odd steps, reading counters and events in between
};

/// The `index`-th of the variants, in turn; 0 is the plain one: one thread, Serial team.
Variant variant(u64 index);
inline constexpr u64 kVariants = 13;

/// What the oracle makes of a world, and the engine in comparison.
class Comparison {
 public:
  /// Runs the oracle.
  explicit Comparison(const World& world);
  const Outcome& oracle() const { return oracle_; }

  /// Runs the engine and compares, departures included: reason, end, digest, totals, messages, collectives; sums of
  /// link counters; and the digest of the state at a few instants with that of the first variant checked. Empty when
  /// all is the same; else what differs, and the first event that does.
  std::string check(const Variant& variant);

  /// Compares every event in turn instead of digests of them: departures of all packets (and with them arrivals: a
  /// packet arrives at start + ser + lambda of its link), marks, pauses, resumes, drops, CNPs, retransmissions,
  /// timeouts, completions. Counts them in `events`. Empty when all are the same; else the first that differs.
  std::string check_every_event(const Variant& variant, u64* events) const;

 private:
  const World& world_;
  Outcome oracle_;
  std::vector<TimePs> stops_ps_;    // epoch starts within the run: every tick ends there
  std::vector<u64> state_digests_;  // at those
};

}  // namespace heddle::property
