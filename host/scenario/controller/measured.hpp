// A controller of traffic engineering that measures while the run goes on (MODEL.md, 7.8).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "host/scenario/controller/demands.hpp"
#include "host/scenario/controller/settings.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

/// Of every NIC and rack it knows how much has arrived in order. From what came since it last looked it makes entries,
/// at the next instant of start + k * period.
class MeasuringController {
 public:
  /// `world` must outlive it. Throws ConfigError as pairs_of_workload().
  explicit MeasuringController(World& world);

  TimePs next_ps() const { return next_ps_; }
  /// At next_ps(), before anything happens there; every rank calls it. When anything was measured, the World has
  /// other entries, with which the engine goes on. Throws std::logic_error unless engine.can_save().
  void solve(RankedEngine& engine);

  /// What a checkpoint keeps of it and of Routing::controller.
  std::vector<u64> words() const;
  /// Before the engine is made. Throws std::out_of_range when words are missing or left over.
  void restore(std::span<const u64> words);

 private:
  std::vector<u64> received(const RankedEngine& engine) const;

  World& world_;
  std::vector<std::pair<EndpointId, u32>> pairs_;  // NIC, group: all that ever send to one another, ascending
  std::vector<u32> first_;                         // [NIC] in pairs_; and the end
  std::vector<u32> seen_;                          // [pair] packets that had arrived when it last looked, mod 2^32
  TimePs next_ps_;
};

}  // namespace heddle
