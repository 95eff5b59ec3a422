// Plans of a controller whose reports and routes travel over a network, until they are in force (MODEL.md, 7.8).
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/scenario/controller/demands.hpp"
#include "kernels/base/words.hpp"
#include "kernels/world/world.hpp"
#include "partition/exchange/ranked_engine.hpp"

namespace heddle {

/// A plan for what was measured at `measured_ps`.
struct PlanTimes {
  TimePs measured_ps = 0;
  TimePs from_ps = kNever;  // when it came into force; kNever: it has not
};

/// Knows the network's messages, and which plans are not in force yet.
class PlansUnderway {
 public:
  struct Plan {
    u64 period = 0;
    TimePs measured_ps = 0;
    std::vector<RackDemand> demands;
  };

  /// `world` must outlive the object.
  explicit PlansUnderway(const World& world);

  /// Whether plans travel. If not, nothing else may be called but next_ps(), times() and words().
  bool travel() const { return world_.routing.control.commit_ps != 0; }
  /// When to look whether a plan has arrived; kNever: none is underway.
  TimePs next_ps() const { return next_ps_; }

  /// Adds the plan of a period, whose reports are posted now.
  void add(Plan plan);
  /// To be called at next_ps() by every rank, before anything happens there: the newest plan that all switches have
  /// received, if there is any. It comes into force now. Earlier ones never do.
  std::optional<Plan> take_arrived(const RankedEngine& engine);

  /// All plans so far, in order.
  std::span<const PlanTimes> times() const { return times_; }

  void append_words(std::vector<u64>& words) const;
  /// Throws std::out_of_range when words are missing or do not fit.
  void restore(WordSource& source);

 private:
  /// A message has arrived when its queue pair has received so many packets in order.
  struct Arrival {
    u32 queue_pair, packets;  // number in receivers_, mod 2^32
  };
  void choose_next(TimePs now_ps);
  std::vector<u64> received(const RankedEngine& engine) const;
  void check(const Plan& plan) const;
  bool has_arrived(const Plan& plan, std::span<const u64> received) const;

  const World& world_;
  std::unordered_map<u64, u32> receivers_;  // (endpoint << 16 | receiver number) of a queue pair with routes -> number
  std::vector<Arrival> arrivals_;           // as ControlNetwork::routes
  std::vector<Plan> plans_;                 // underway, in order; their times are the last of times_
  std::vector<PlanTimes> times_;
  TimePs next_ps_ = kNever;
};

}  // namespace heddle
