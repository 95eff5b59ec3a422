// Engine against oracle on one world, to the bit.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/property/variants.hpp"

namespace heddle::property {

/// Compares reason, end, event digest, totals, messages, collectives, links: one line for each difference; empty when
/// equal.
std::string differences(const Outcome& oracle, const Outcome& engine);

/// The oracle's outcome of a world, and engine runs in comparison.
class Comparison {
 public:
  /// Runs the oracle.
  explicit Comparison(const World& world);
  const Outcome& oracle() const { return oracle_; }

  /// Runs the engine and compares, departures included: reason, end, event digest, totals, messages, collectives,
  /// links; sums of link counters; the digest of the state at a few instants, and of the whole result, with those of
  /// the first variant checked. Returns "" when all are equal; else the differences, and the first event that differs.
  std::string check(const Variant& variant);

  /// Compares every event in turn instead of digests of them: departures of all packets (and with them arrivals: a
  /// packet arrives at start + ser + lambda of its link), marks, pauses, resumes, drops, CNPs, retransmissions,
  /// timeouts, completions. Counts them in `events`. Returns "" when all are equal; else the first that differs.
  std::string check_every_event(const Variant& variant, u64* events) const;

 private:
  const World& world_;
  Outcome oracle_;
  std::vector<TimePs> stops_ps_;    // epoch starts within the run: every tick ends there
  std::vector<u64> state_digests_;  // at stops_ps_, of the first variant
  u64 digest_ = 0;                  // digest of the first variant's result
};

}  // namespace heddle::property
