// Engine against oracle on one world, to the bit.
#pragma once

#include <string>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/property/variants.hpp"

namespace heddle::property {

/// Reason, end, event digest, totals, messages, collectives, links: a line for each that differs; empty: none does.
std::string differences(const Outcome& oracle, const Outcome& engine);

/// What the oracle makes of a world, and the engine in comparison.
class Comparison {
 public:
  /// Runs the oracle.
  explicit Comparison(const World& world);
  const Outcome& oracle() const { return oracle_; }

  /// Runs the engine and compares, departures included: reason, end, event digest, totals, messages, collectives,
  /// links; sums of link counters; and the digest of the state at a few instants, and that of the whole result, with
  /// those of the first variant checked. Empty when
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
  std::vector<u64> state_digests_;  // at those, of the first variant
  u64 digest_ = 0;                  // and of its result
};

}  // namespace heddle::property
