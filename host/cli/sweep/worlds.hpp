// A check that the runs of a sweep can be run.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "host/scenario/memory/memory_need.hpp"

namespace heddle {

struct Config;

/// Builds the world of every configuration, one at a time, and refuses what `heddle check` would. That takes what check
/// takes: hundredths of a second for a zone, seconds for 24,576 GPUs; so runs that differ in simulation.seed alone are
/// looked at once.
class SweepWorlds {
 public:
  /// `budget`: the memory that each run may use.
  explicit SweepWorlds(MemoryBudget budget = {}) : budget_(std::move(budget)) {}
  /// Throws ConfigError or InputError when the configuration can be read, but not run.
  void check(const Config& config);
  /// The largest memory need of the runs checked (plan.hpp).
  u64 max_needed_bytes() const { return max_needed_bytes_; }

 private:
  MemoryBudget budget_;
  u64 max_needed_bytes_ = 0;
  std::set<std::string> checked_;  // resolved configurations, all with the same seed
};

}  // namespace heddle
