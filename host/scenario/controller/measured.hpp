// A controller of traffic engineering that measures during the run (MODEL.md, 7.8).
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/scenario/controller/demands.hpp"
#include "host/scenario/controller/plans_underway.hpp"
#include "host/scenario/controller/settings.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

/// Tracks how much has arrived in order from every NIC at every rack. Makes entries from the packets since its last
/// solution, at the next instant of start + k * period. Where a network carries them, they come into force later.
class MeasuringController {
 public:
  /// `world` must outlive the controller. Throws ConfigError as pairs_of_workload().
  explicit MeasuringController(World& world);

  /// When to measure, or to look whether a plan has come to all switches; kNever: never again.
  TimePs next_ps() const;
  /// To be called at next_ps(), before anything happens there, by every rank. If any traffic was measured, or a plan
  /// has come over a network, the World gets new entries, with which the engine continues. Throws std::logic_error
  /// unless engine.can_save().
  void solve(RankedEngine& engine);

  /// When the plans so far that a network carries were measured, and came into force; empty without a network.
  std::span<const PlanTimes> plan_times() const { return plans_.times(); }

  /// The state of the controller and Routing::controller for a checkpoint.
  std::vector<u64> words() const;
  /// Restores that state before the engine is built. Throws std::out_of_range when words are missing or left over.
  void restore(std::span<const u64> words);

 private:
  TimePs next_measurement_ps() const;
  std::optional<PlansUnderway::Plan> plan_for(TimePs now_ps, const RankedEngine& engine);
  std::vector<RackDemand> measure(const RankedEngine& engine);
  std::vector<u64> received(const RankedEngine& engine) const;

  World& world_;
  std::vector<std::pair<EndpointId, u32>> pairs_;  // NIC, group: all pairs that ever communicate, ascending
  std::vector<u32> first_;                         // [NIC] its first pair; and the end
  std::vector<u32> seen_;                          // [pair] packets that had arrived by the last solution, mod 2^32
  u64 measured_ = 0;                               // so many times
  PlansUnderway plans_;
};

}  // namespace heddle
