// A controller of traffic engineering that measures during the run (MODEL.md, 7.8).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "host/scenario/controller/demands.hpp"
#include "host/scenario/controller/settings.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

/// Tracks how much has arrived in order from every NIC at every rack. Makes entries from the packets since its last
/// solution, at the next instant of start + k * period.
class MeasuringController {
 public:
  /// `world` must outlive the controller. Throws ConfigError as pairs_of_workload().
  explicit MeasuringController(World& world);

  TimePs next_ps() const { return next_ps_; }
  /// To be called at next_ps(), before anything happens there, by every rank. If any traffic was measured, the World
  /// gets new entries, with which the engine continues. Throws std::logic_error unless engine.can_save().
  void solve(RankedEngine& engine);

  /// The state of the controller and Routing::controller for a checkpoint.
  std::vector<u64> words() const;
  /// Restores that state before the engine is built. Throws std::out_of_range when words are missing or left over.
  void restore(std::span<const u64> words);

 private:
  std::vector<u64> received(const RankedEngine& engine) const;

  World& world_;
  std::vector<std::pair<EndpointId, u32>> pairs_;  // NIC, group: all pairs that ever communicate, ascending
  std::vector<u32> first_;                         // [NIC] its first pair; and the end
  std::vector<u32> seen_;                          // [pair] packets that had arrived by the last solution, mod 2^32
  TimePs next_ps_;
};

}  // namespace heddle
